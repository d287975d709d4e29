package batch

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
	"github.com/neardup/bleve-neardup/plugin/batch/ondisk"
)

func init() {
	register.Function2x0(toRoot)
	register.Function5x1(placeFn)
	beam.RegisterDoFn(&groupFn{})
}

// Groups returns, of documents and of Edges that are settled, the groups, each as the JSON
// of an ondisk.Group, and the ids of the documents to keep.
func Groups(s beam.Scope, o Options, signed, settled beam.PCollection) (groups, keep beam.PCollection) {
	s = s.Scope("Groups")
	o = o.filled()
	joined := beam.CoGroupByKey(s, beam.ParDo(s, byID, signed), beam.ParDo(s, toRoot, settled))
	placed, alone := beam.ParDo2(s, placeFn, joined)
	groups, heads := beam.ParDo2(s, &groupFn{Rule: o.Rule, By: o.By}, beam.GroupByKey(s, placed))
	return groups, beam.Flatten(s, alone, heads)
}

// toRoot emits the root of a document, and of the root itself.
func toRoot(e Edge, emit func(string, string)) {
	emit(e.A, e.B)
	emit(e.B, e.B)
}

// placeFn emits a document with the root of its component, or its id alone if it has none.
func placeFn(id string, docs func(*Signed) bool, roots func(*string) bool, placed func(string, Signed), alone func(string)) error {
	var d, other Signed
	if !docs(&d) {
		return fmt.Errorf("batch: document %q: wanted its signature, as an edge has it, got none", id)
	}
	if docs(&other) {
		return fmt.Errorf("batch: document %q: wanted an id of its own, got it twice", id)
	}
	var root, another string
	if !roots(&root) {
		alone(id)
		return nil
	}
	for roots(&another) {
		if another != root {
			return fmt.Errorf("batch: document %q: wanted edges that are settled, got ones to %q and %q", id, root, another)
		}
	}
	placed(root, d)
	return nil
}

// groupFn makes the groups of a component.
type groupFn struct {
	Rule signature.Rule
	By   ondisk.By
}

// ProcessElement emits the groups, and their heads and what has no copy to keep.
func (f *groupFn) ProcessElement(ctx context.Context, _ string, docs func(*Signed) bool, groups, keep func(string)) error {
	type member struct {
		id  string
		sig signature.Signature
	}
	var all []member
	var d Signed
	for docs(&d) {
		sig, err := d.decode()
		if err != nil {
			return err
		}
		all = append(all, member{d.ID, sig})
	}
	slices.SortFunc(all, func(a, b member) int {
		return cmp.Or(cmp.Compare(b.sig.Tokens, a.sig.Tokens), cmp.Compare(a.id, b.id))
	})
	leaders := make([]int, len(all)) // all of the first, for components
	if f.By == ondisk.Leaders {
		signatures := make([]signature.Signature, len(all))
		for i := range all {
			signatures[i] = all[i].sig
		}
		var err error
		if leaders, err = table.Leaders(ctx, f.Rule, signatures, nil); err != nil {
			return err
		}
	}
	own := make(map[int][]string)
	for i, leader := range leaders {
		own[leader] = append(own[leader], all[i].id)
	}
	for i := range all {
		ids := own[i]
		if len(ids) == 0 {
			continue
		}
		keep(ids[0])
		if len(ids) > 1 {
			line, err := json.Marshal(ondisk.Group{Head: ids[0], Members: ids[1:]})
			if err != nil {
				return err
			}
			groups(string(line))
		}
	}
	return nil
}
