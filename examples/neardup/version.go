package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/neardup/bleve-neardup/analysis/signature"
)

// version is what --version prints: the release of this program or "devel", the format of the signatures that it writes
// and reads, and the versions of bleve and Go. What the linker wrote into the program is nil if that was nothing.
func version(info *debug.BuildInfo) string {
	own, bleve := "devel", "unknown"
	if info != nil {
		if v := info.Main.Version; v != "" && v != "(devel)" {
			own = v
		}
		for _, m := range info.Deps {
			if m.Path == "github.com/blevesearch/bleve/v2" {
				bleve = m.Version
			}
		}
	}
	stored, _ := new(signature.Signature).MarshalBinary() // begins with the format: see FORMAT.md
	return fmt.Sprintf("neardup %s\nsignatures of format %d\nbleve %s\n%s %s/%s", own, stored[0], bleve, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
