package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	beamlog "github.com/apache/beam/sdks/v2/go/pkg/beam/log"
)

func TestMain(m *testing.M) {
	slog.SetDefault(slog.New(slog.DiscardHandler))
	log.SetOutput(io.Discard)
	beamlog.SetLogger(silent{})
	flag.Parse()
	beam.Init()
	os.Exit(m.Run())
}

// silent drops what runners say.
type silent struct{}

// Log implements beam's Logger.
func (silent) Log(context.Context, beamlog.Severity, int, string) {}

// set sets flags, and all others to their defaults: flags are global, and tests run in any order.
func set(flags ...string) {
	for _, name := range []string{"input", "output", "id_field", "text_field", "by", "rule", "width", "shards", "rounds"} {
		if err := flag.Set(name, flag.Lookup(name).DefValue); err != nil {
			panic(err)
		}
	}
	for i := 0; i < len(flags); i += 2 {
		if err := flag.Set(flags[i], flags[i+1]); err != nil {
			panic(err)
		}
	}
}

func Example() {
	dir, err := os.MkdirTemp("", "neardup")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	docs := `{"id": "page", "text": "The quick brown fox jumps over the lazy dog while the cat looks on from the wall."}
{"id": "mirror", "text": "THE QUICK BROWN FOX jumps over the lazy dog, while the cat looks on from the wall!"}
{"id": "other", "text": "A fox is a small animal of the dog family that lives in woods, fields and towns."}
`
	if err := os.WriteFile(filepath.Join(dir, "docs.jsonl"), []byte(docs), 0o666); err != nil {
		log.Fatal(err)
	}
	set("runner", "direct", "input", dir+"/*.jsonl", "output", dir+"/", "shards", "1")
	if err := run(context.Background(), io.Discard); err != nil {
		log.Fatal(err)
	}
	groups, err := os.ReadFile(filepath.Join(dir, "groups-00000-of-00001"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(string(groups))
	// Output: {"head":"mirror","members":["page"]}
}

func TestUsage(t *testing.T) {
	for says, flags := range map[string][]string{
		`--input, --output: wanted`:                   {"output", "x"},
		`--rule: rule: lanes: wanted`:                 {"input", "x", "output", "x", "rule", `{"lanes": -1}`},
		`by: wanted "leaders" or "components"`:        {"input", "x", "output", "x", "by", "x"},
		"batch: rule: hamming: wanted -1 to 3, got 4": {"input", "x", "output", "x", "by", "leaders", "rule", `{"hamming": 4}`},
	} {
		set(flags...)
		if err := run(context.Background(), io.Discard); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: got %v, want %q", flags, err, says)
		}
	}
}
