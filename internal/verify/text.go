package verify

import (
	"slices"

	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/registry"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
	"github.com/neardup/bleve-neardup/internal/mappings"
)

// Text is the set of shingles of a text, in ascending order.
type Text struct{ shingles []uint64 }

// newText returns the Text of a signed document. A text that is shorter than a shingle counts as
// one shingle: it resembles an equal text and no other.
func newText(sig *signature.Signature, shingles []uint64) *Text {
	if len(shingles) == 0 && sig.Tokens > 0 {
		shingles = []uint64{sig.Exact}
	}
	slices.Sort(shingles)
	return &Text{shingles}
}

// Shares is how many shingles two texts share, and how many each has.
type Shares struct{ Shared, A, B int }

// Compare counts the shingles of two texts.
func Compare(a, b *Text) Shares {
	s := Shares{A: len(a.shingles), B: len(b.shingles)}
	for i, j := 0, 0; i < s.A && j < s.B; {
		x, y := a.shingles[i], b.shingles[j]
		if x == y {
			s.Shared++
		}
		if x <= y {
			i++
		}
		if x >= y {
			j++
		}
	}
	return s
}

// Union is how many shingles there are in all.
func (s Shares) Union() int { return s.A + s.B - s.Shared }

// Resemblance is exact.
func (s Shares) Resemblance() sketch.Estimate { return share(s.Shared, s.Union()) }

// Containment returns the share of a's shingles that b has, and of b's that a has. Both are exact.
func (s Shares) Containment() (aInB, bInA sketch.Estimate) {
	return share(s.Shared, s.A), share(s.Shared, s.B)
}

func share(n, of int) sketch.Estimate {
	return sketch.Estimate{Value: float64(n) / float64(max(1, of))}
}

// Origin is where documents of one kind may have the text of a fingerprinted field
// stored: under its own name, or under the name of another field of the same property.
type Origin struct {
	Analyzer *neardup.Analyzer
	Fields   []string
}

// origins returns what m says of a field, for each kind of document.
func origins(m mapping.IndexMapping, field string) (all []Origin, err error) {
	if known, ok := m.(*mapping.IndexMappingImpl); ok && known != nil {
		var root *mapping.DocumentMapping // of the last of all
		mappings.Visit(known, func(f mappings.Field) {
			if f.Name != field || f.FieldMapping == nil || f.Off {
				return
			}
			a, ok := known.AnalyzerNamed(f.Analyzer).(*neardup.Analyzer)
			if !ok {
				return
			}
			if f.Root != root {
				all, root = append(all, Origin{Analyzer: a}), f.Root // the first signs for all
			}
			o := &all[len(all)-1]
			if in := storedIn(f); !slices.Contains(o.Fields, in) {
				o.Fields = append(o.Fields, in)
			}
		})
		if a, ok := known.AnalyzerNamed(known.AnalyzerNameForPath(field)).(*neardup.Analyzer); ok {
			all = append(all, Origin{a, []string{field}}) // a dynamic field
		}
	}
	if len(all) == 0 {
		a, err := neardup.AnalyzerConstructor(nil, registry.NewCache())
		if err != nil {
			return nil, err
		}
		all = []Origin{{a.(*neardup.Analyzer), []string{field}}}
	}
	return all, nil
}

// storedIn names the field that has the text of f: itself, unless another one of its property is stored
// instead.
func storedIn(f mappings.Field) string {
	if !f.Store {
		for _, other := range f.Property.Fields {
			if other.Store && other.Type == "text" {
				return mappings.Name(f.Path, other)
			}
		}
	}
	return f.Name
}
