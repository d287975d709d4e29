package batch

import (
	"context"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
)

func init() {
	register.Function2x0(bothWays)
	register.Function3x0(largeStar)
	register.Function1x2(downward)
	register.Function3x0(smallStar)
	register.Function2x0(marked)
	register.Function3x0(unsettledFn)
}

// Unsettled is the name of the counter of documents whose component is no star yet.
const Unsettled = "unsettled"

var unsettled = beam.NewCounter("neardup", Unsettled)

// Settle does so many rounds of large-star and small-star over Edges. The components stay
// what they are, and become stars: one Edge from each document to the least one of its component.
// The counter Unsettled, of one pipeline, is the number of documents whose component is no star
// yet.
func Settle(s beam.Scope, edges beam.PCollection, rounds int) beam.PCollection {
	s = s.Scope("Settle")
	for range rounds {
		edges = beam.ParDo(s, largeStar, beam.GroupByKey(s, beam.ParDo(s, bothWays, edges)))
		edges = beam.ParDo(s, smallStar, beam.GroupByKey(s, beam.ParDo(s, downward, edges)))
	}
	beam.ParDo0(s, unsettledFn, beam.GroupByKey(s, beam.ParDo(s, marked, edges)))
	return edges
}

func bothWays(e Edge, emit func(string, string)) {
	emit(e.A, e.B)
	emit(e.B, e.A)
}

// largeStar connects the neighbours above a document with the least one of all, itself
// included.
func largeStar(id string, neighbours func(*string) bool, emit func(Edge)) {
	least := id
	var above []string
	for other := ""; neighbours(&other); {
		if other > id {
			above = append(above, other)
		}
		least = min(least, other)
	}
	for _, other := range above {
		emit(Edge{other, least})
	}
}

func downward(e Edge) (string, string) { return e.A, e.B }

// smallStar connects a document, and its neighbours below, with the least of them.
func smallStar(id string, below func(*string) bool, emit func(Edge)) {
	seen := map[string]bool{}
	least := id
	var other string
	for below(&other) {
		seen[other] = true
		least = min(least, other)
	}
	for other := range seen {
		if other != least {
			emit(Edge{other, least})
		}
	}
	emit(Edge{id, least})
}

// marked emits an edge for its greater end, and for the other that it has one above, as
// the empty id.
func marked(e Edge, emit func(string, string)) {
	emit(e.A, e.B)
	emit(e.B, "")
}

// unsettledFn counts a document that has another below, and besides one above or a third
// below.
func unsettledFn(ctx context.Context, _ string, neighbours func(*string) bool) {
	var below, other string
	above := false
	for neighbours(&other) {
		switch {
		case other == "":
			above = true
		case below != "" && other != below:
			unsettled.Inc(ctx, 1)
			return
		default:
			below = other
		}
	}
	if above && below != "" {
		unsettled.Inc(ctx, 1)
	}
}
