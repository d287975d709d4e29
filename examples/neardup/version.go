package main

import (
	"runtime"
	"runtime/debug"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/neardup/bleve-neardup/analysis/signature"
)

// versions are what version prints.
type versions struct {
	Neardup  string `json:"neardup"`
	Format   int    `json:"signature_format"`
	Bleve    string `json:"bleve"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

const bleveModule = "github.com/blevesearch/bleve/v2"

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the versions of neardup, of the format of signatures, of bleve and of Go",
		Long: `Version prints what this program was built from: its release or revision, or "devel"; the format of
the signatures that it writes and reads; and the versions of bleve and Go.`,
		Example: "  neardup version --json",
		Args:    args("no argument", 0, 0),
		RunE: func(*cobra.Command, []string) error {
			format, err := signatureFormat()
			if err != nil {
				return err
			}
			info, _ := debug.ReadBuildInfo()
			v := versionsOf(info)
			v.Format = format
			if a.json {
				return a.encode(v)
			}
			return a.table([]string{
				"neardup\t" + v.Neardup,
				"signatures\tformat " + strconv.Itoa(v.Format),
				"bleve\t" + v.Bleve,
				"go\t" + v.Go + " " + v.Platform,
			}, "")
		},
	}
}

// signatureFormat is the first byte of a stored signature: see FORMAT.md.
func signatureFormat() (int, error) {
	data, err := new(signature.Signature).MarshalBinary()
	if err != nil {
		return 0, err
	}
	return int(data[0]), nil
}

// versionsOf reads what the linker wrote into a program, nil if that was nothing.
func versionsOf(info *debug.BuildInfo) versions {
	v := versions{Neardup: "devel", Bleve: "unknown", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if info == nil {
		return v
	}
	for _, m := range info.Deps {
		if m.Path == bleveModule {
			v.Bleve = m.Version
		}
	}
	if main := info.Main.Version; main != "" && main != "(devel)" {
		v.Neardup = main
	}
	return v
}
