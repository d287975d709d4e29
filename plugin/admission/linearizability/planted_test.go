package linearizability

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// fault is one that is planted in the library's source: old becomes new.
type fault struct {
	name     string
	file     string // from the root of the repository
	old, new string

	// args of TestHistories: what brings the fault about soon.
	args string
}

var faults = []fault{
	{
		"a preference is turned round", "plugin/internal/gate/duplicate.go",
		"return c > 0 ||", "return c < 0 ||",
		"-policy 15 -kinds SubmitBatch,Batch,Search",
	},
	{
		"of a batch the first comes first, not the best", "plugin/internal/gate/prefer.go",
		"if p.Near == admission.Replace {", "if p.Near == admission.Tag {",
		"-policy 22 -kinds SubmitBatch,Search",
	},
	{
		"a document replaces another one of its batch", "plugin/internal/gate/duplicate.go",
		"if t.place >= 0 {\n\t\treturn false, nil", "if false {\n\t\treturn false, nil",
		"-policy 21 -kinds SubmitBatch,Search",
	},
	{
		"a document without a scope is let in by what is wanted", "plugin/internal/gate/judgement.go",
		"severest(like, v), nil", "like, nil",
		"-policy 19 -kinds SubmitBatch,MarkText",
	},
	{
		"an excerpt of a mark is not like it", "plugin/admission/known.go",
		"document.Shingles >= few", "false",
		"-policy 17 -kinds SubmitBatch,MarkText",
	},
	{
		"a batch does not wait for flights that touch its ids", "plugin/internal/gate/judgement.go",
		"if f := j.flights.using(d.ID); f != nil {", "if f := j.flights.using(d.ID); false {",
		"-policy 3 -kinds SubmitBatch,Batch,Search",
	},
	{
		"what a batch deletes is deleted while others write it", "plugin/internal/gate/judgement.go",
		"if f := j.flights.using(id); f != nil {", "if f := j.flights.using(id); false {",
		"-policy 2 -kinds SubmitBatch,Delete,Batch,Search",
	},
	{
		"Delete passes the gate by", "plugin/indextype/write.go",
		"b.Delete(id)\n\treturn x.Batch(b)", "b.Delete(id)\n\treturn x.write(b)",
		"-policy 1 -kinds SubmitBatch,Batch,Delete,Search",
	},
	{
		"a batch does not wait for those that write its near-duplicates", "plugin/internal/gate/duplicate.go",
		"j.wait = j.flights.writing(id)", "j.wait = nil",
		"-policy 1 -kinds SubmitBatch,Batch,Delete,Search",
	},
	{
		"two copies at once are each the first", "plugin/internal/gate/duplicate.go",
		"if j.wait = j.flights.meets(d); j.wait != nil {", "if false {",
		"-policy 2 -kinds SubmitBatch,Batch,Search",
	},
	{
		"two copies at once found a group each", "plugin/internal/gate/duplicate.go",
		"if j.wait = j.flights.meets(d); j.wait != nil {", "if false {",
		"-policy 23 -kinds SubmitBatch,Batch,Search",
	},
	{
		"what is replaced is not announced", "plugin/internal/gate/judgement.go",
		"read: j.read, written: j.written}\n\tfor _, id := range slices.Concat(j.deletes, j.replaced) {",
		"read: map[string]bool{}, written: j.written}\n\tfor _, id := range j.deletes {",
		"-policy 3 -kinds SubmitBatch,Batch,Search",
	},
	{
		"what verdicts rest on is not announced", "plugin/internal/gate/judgement.go",
		"read: j.read, written", "read: map[string]bool{}, written",
		"-policy 1 -kinds SubmitBatch,Delete,Search",
	},
	{
		"a document has the time before its wait", "plugin/internal/gate/gate.go",
		"\t\t\td.Time = now\n", "\t\t\tif d.Time.IsZero() {\n\t\t\t\td.Time = now\n\t\t\t}\n",
		"-policy 3 -kinds SubmitBatch,Batch,Search",
	},
	{
		"a flight ends before it is written", "plugin/indextype/write.go",
		"defer done()", "done()",
		"-policy 2 -kinds SubmitBatch,Batch,Search",
	},
	{
		"SetPolicy does not wait for writes", "plugin/indextype/policy.go",
		"x.gate.Enter(ctx, true)", "x.gate.Enter(ctx, false)",
		"-policy 0 -kinds SubmitBatch,SetPolicy,Search",
	},
	{
		"a mark does not wait for writes", "plugin/indextype/marks.go",
		"time.Now().UTC()}\n\tleave, err := x.gate.Enter(ctx, true)", "time.Now().UTC()}\n\tleave, err := x.gate.Enter(ctx, false)",
		"-policy 8 -kinds SubmitBatch,MarkText,Unmark,Search",
	},
	{
		"the end of a mark does not wait for writes", "plugin/indextype/marks.go",
		"removed []string) error {\n\tleave, err := x.gate.Enter(ctx, true)", "removed []string) error {\n\tleave, err := x.gate.Enter(ctx, false)",
		"-policy 8 -kinds SubmitBatch,MarkText,Unmark,Search",
	},
	{
		"marks that are written do not count", "plugin/internal/marks/marks.go",
		"m.apply(written)", "_ = written",
		"-policy 8 -kinds SubmitBatch,MarkText,Unmark,Search",
	},
	{
		"an update that is rejected frees its place", "plugin/internal/gate/judgement.go",
		"if there != nil {", "if there != nil && false {",
		"-policy 2 -kinds SubmitBatch,Batch,Search",
	},
	{
		"a batch is not written as one", "plugin/indextype/write.go",
		"\t\tif err := x.write(own); err != nil {", "\t\tfor id, doc := range own.IndexOps {\n\t\t\tif b := index.NewBatch(); doc == nil {\n\t\t\t\tb.Delete(id)\n\t\t\t\tx.write(b)\n\t\t\t}\n\t\t}\n\t\tif err := x.write(own); err != nil {",
		"-policy 3 -kinds SubmitBatch,Batch,Search,Document",
	},
	{
		"a flood of different senders counts the document's own", "plugin/internal/gate/flood.go",
		"map[uint64]bool{d.Values[f.Distinct]: true}", "map[uint64]bool{}",
		"-policy 11 -kinds SubmitBatch,Search",
	},
	{
		"a flood of one sender counts all", "plugin/internal/gate/flood.go",
		"if same != d.Values[f.Same] {", "if same != d.Values[f.Same] && false {",
		"-policy 11 -kinds SubmitBatch,Search",
	},
	{
		"a dry run writes", "plugin/indextype/write.go",
		"\tif !dry {\n", "\tif true {\n",
		"-policy 2 -kinds SubmitBatch,DryRun,Search",
	},
}

// TestPlanted plants each fault in a copy of the file that has it, which takes the place of
// the file in the build alone, and runs TestHistories, which must find it. A fault whose
// place is not in the source any more is an error.
func TestPlanted(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the library once for each fault")
	}
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range faults {
		t.Run(strings.ReplaceAll(f.name, " ", "_"), func(t *testing.T) {
			file := filepath.Join(root, filepath.FromSlash(f.file))
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if n := strings.Count(string(source), f.old); n != 1 {
				t.Fatalf("%s: wanted one place for the fault, got %d", f.file, n)
			}
			dir := t.TempDir()
			copied := filepath.Join(dir, filepath.Base(file))
			if err := os.WriteFile(copied, []byte(strings.Replace(string(source), f.old, f.new, 1)), 0o600); err != nil {
				t.Fatal(err)
			}
			overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{file: copied}})
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "overlay.json"), overlay, 0o600); err != nil {
				t.Fatal(err)
			}
			args := []string{"test", "-vet=off", "-overlay", filepath.Join(dir, "overlay.json"), "-run", "^TestHistories$", "-timeout", "30m", ".", "-histories", "5000"}
			start := time.Now()
			var lines []string
			for seed := range 4 { // how operations overlap is the scheduler's, which can be busy with other things
				own := slices.Concat(args, strings.Fields(fmt.Sprintf("-seed %d -ids 3 %s", seed+1, f.args)))
				out, err := exec.Command("go", own...).CombinedOutput()
				lines = strings.Split(strings.TrimSpace(string(out)), "\n")
				for _, line := range lines {
					if err != nil && strings.Contains(line, "is not linearizable") {
						t.Logf("found after %v: %s", time.Since(start).Round(time.Second), strings.TrimSpace(line))
						return
					}
				}
			}
			t.Errorf("not found: %s", lines[max(0, len(lines)-10):])
		})
	}
}
