package batch_test

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local"
	beamlog "github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	//lint:ignore SA1019 Beam wants Prism used instead, which is as well
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/direct"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/neartest"
	"github.com/neardup/bleve-neardup/plugin/batch"
	"github.com/neardup/bleve-neardup/plugin/batch/ondisk"
)

func TestMain(m *testing.M) {
	slog.SetDefault(slog.New(slog.DiscardHandler))
	beamlog.SetLogger(silent{})
	beam.Init()
	os.Exit(m.Run())
}

// silent drops what runners say.
type silent struct{}

// Log implements beam's Logger.
func (silent) Log(context.Context, beamlog.Severity, int, string) {}

func with(runner string) func(context.Context, *beam.Pipeline) (beam.PipelineResult, error) {
	return func(ctx context.Context, p *beam.Pipeline) (beam.PipelineResult, error) {
		return beam.Run(ctx, runner, p)
	}
}

// corpus returns documents of families, copies of copies among them, short ones, empty
// ones and equal ones.
func corpus(rnd *rand.Rand, n int) (all []batch.Document) {
	for i := range n {
		var words []string
		switch {
		case rnd.IntN(12) == 0:
			words = []string{"note", fmt.Sprint(rnd.IntN(3))}
		case rnd.IntN(40) == 0:
		case i > 0 && rnd.IntN(3) > 0:
			words = strings.Fields(all[max(0, i-1-rnd.IntN(6))].Text)
			for range rnd.IntN(3) {
				if len(words) > 0 {
					words[rnd.IntN(len(words))] = fmt.Sprint("w", rnd.IntN(1000))
				}
			}
		default:
			for range 80 + rnd.IntN(200) {
				words = append(words, fmt.Sprint("w", rnd.IntN(1000)))
			}
		}
		all = append(all, batch.Document{ID: fmt.Sprint("d", rnd.IntN(1000), ".", i), Text: strings.Join(words, " ")})
	}
	return all
}

// naive returns the groups, as lines, and the ids to keep, by comparing all pairs.
func naive(o batch.Options, docs []batch.Document) (groups, keep []string) {
	sigs, of := make([]signature.Signature, len(docs)), make([]int, len(docs))
	for i, d := range docs {
		of[i], sigs[i] = i, signature.Of(signature.DefaultParams(), []byte(d.Text))
		for j := range i {
			if neartest.Duplicates(o.Rule, &sigs[i], &sigs[j]) && of[i] != of[j] {
				from, to := of[i], of[j]
				for k := range of[:i+1] {
					if of[k] == from {
						of[k] = to
					}
				}
			}
		}
	}
	order := make([]int, len(docs))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(sigs[b].Tokens, sigs[a].Tokens), cmp.Compare(docs[a].ID, docs[b].ID))
	})
	var lists [][]int
next:
	for _, i := range order {
		for n, l := range lists {
			if of[i] == of[l[0]] && (o.By == ondisk.Components || neartest.Duplicates(o.Rule, &sigs[i], &sigs[l[0]])) {
				lists[n] = append(l, i)
				continue next
			}
		}
		lists = append(lists, []int{i})
	}
	for _, l := range lists {
		keep = append(keep, docs[l[0]].ID)
		if len(l) > 1 {
			var ids []string
			for _, i := range l {
				ids = append(ids, docs[i].ID)
			}
			groups = append(groups, strings.Join(ids, " "))
		}
	}
	slices.Sort(groups)
	slices.Sort(keep)
	return groups, keep
}

// lines reads the lines of all shards.
func lines(t *testing.T, prefix string) (all []string) {
	t.Helper()
	paths, err := filepath.Glob(prefix + "-*-of-*")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no files %s, error %v", prefix, err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for in := bufio.NewScanner(strings.NewReader(string(text))); in.Scan(); {
			all = append(all, in.Text())
		}
	}
	slices.Sort(all)
	return all
}

// hold runs a job over documents and compares what it finds with naive.
func hold(t *testing.T, runner string, o batch.Options, docs []batch.Document) {
	t.Helper()
	dir := t.TempDir()
	f, err := os.Create(filepath.Join(dir, "docs.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range docs {
		if err := json.NewEncoder(f).Encode(map[string]string{"id": d.ID, "text": d.Text}); err != nil {
			t.Fatal(err)
		}
	}
	f.Close()
	j := batch.Job{
		Options: o, Work: dir + "/work-", Groups: dir + "/groups", Keep: dir + "/keep", Shards: 3, Rounds: 1, Pipeline: with(runner),
		Read: func(s beam.Scope) beam.PCollection { return batch.ReadJSON(s, dir+"/*.jsonl", "id", "text") },
	}
	if err := batch.Run(context.Background(), j); err != nil {
		t.Fatal(err)
	}
	var groups []string
	for _, line := range lines(t, dir+"/groups") {
		var g ondisk.Group
		if err := json.Unmarshal([]byte(line), &g); err != nil {
			t.Fatal(err)
		}
		groups = append(groups, strings.Join(append([]string{g.Head}, g.Members...), " "))
	}
	slices.Sort(groups)
	wantGroups, wantKeep := naive(o, docs)
	if !slices.Equal(groups, wantGroups) {
		t.Errorf("%s, by %s: got groups\n%s\nwant\n%s", runner, o.By, strings.Join(groups, "\n"), strings.Join(wantGroups, "\n"))
	}
	if keep := lines(t, dir+"/keep"); !slices.Equal(keep, wantKeep) {
		t.Errorf("%s, by %s: got to keep %q, want %q", runner, o.By, keep, wantKeep)
	}
	if len(wantGroups) < len(docs)/20 {
		t.Errorf("%d groups of %d documents: this test shows little", len(wantGroups), len(docs))
	}
}

func TestRunDirect(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, o := range []batch.Options{
		{},
		{By: ondisk.Components},
		{Rule: signature.Rule{Lanes: 85, Mode: signature.SketchOnly}},
		{Rule: signature.Rule{Hamming: 3, Mode: signature.SimhashOnly}},
	} {
		hold(t, "direct", o, corpus(rnd, 250))
	}
}
