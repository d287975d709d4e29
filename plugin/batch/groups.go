package batch

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/neardup/bleve-neardup/analysis/signature"
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
	var ids []string
	var sigs []signature.Signature
	var d Signed
	for docs(&d) {
		sig, err := d.decode()
		if err != nil {
			return err
		}
		ids, sigs = append(ids, d.ID), append(sigs, sig)
	}
	all, err := ondisk.Split(ctx, f.Rule, f.By, ids, sigs)
	if err != nil {
		return err
	}
	for _, own := range all {
		g := ondisk.Group{Head: ids[own[0]]}
		for _, i := range own[1:] {
			g.Members = append(g.Members, ids[i])
		}
		keep(g.Head)
		if len(g.Members) > 0 {
			line, err := json.Marshal(g)
			if err != nil {
				return err
			}
			groups(string(line))
		}
	}
	return nil
}
