package collapse_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/collapse"
)

// campaign has families far larger than what a page keeps at first, which is eight times
// its hits and 64, and which rank before all else; and others between them.
func campaign(seed uint64) map[string]page {
	rnd := rand.New(rand.NewPCG(seed, seed))
	docs := families(rnd, 60, 60)
	for n, size := range []int{size(700, 240), size(260, 160)} {
		var body string
		for _, p := range families(rnd, 1, 60) {
			body = p.Body
		}
		for i := range size {
			docs[fmt.Sprintf("spam %d %03d", n, i)] = page{
				Body: fmt.Sprint(body, strings.Repeat(" common", 3-n+rnd.IntN(2))), Version: float64(rnd.IntN(4)), Project: "spam",
			}
		}
	}
	return docs
}

// Pages are the oracle's where families are larger than what is asked for at once.
func TestLargeFamilies(t *testing.T) {
	t.Parallel()
	docs := campaign(101)
	var asked atomic.Int64
	all := layouts(partsOf(t, 3, docs), &asked)
	all["one"] = newIndex(t, docs)
	match := bleve.NewMatchQuery("common")
	match.SetField("body")
	for name, x := range all {
		for _, by := range [][]string{nil, {"-version", "-_score"}, {"_id"}} {
			telling := name == "one" && by == nil || name == "nodes" && len(by) == 2
			if testing.Short() && !telling {
				continue
			}
			t.Run(fmt.Sprint(name, by), func(t *testing.T) {
				t.Parallel()
				r := bleve.NewSearchRequest(match)
				if by != nil {
					r.SortBy(by)
				}
				all := rank(t, x, r)
				for _, o := range []collapse.Options{{}, {Visible: 3}} {
					compareTo(t, x, r, o, all.collapsed(o), 10)
				}
				if name == "one" {
					checkWhole(t, x, r, collapse.Options{})
				}
			})
		}
	}
}

// Budgets that end within families and between them leave out nothing: the cursor goes
// on.
func TestBudgetsThatEnd(t *testing.T) {
	t.Parallel()
	docs := campaign(103)
	var asked atomic.Int64
	all := layouts(partsOf(t, 3, docs), &asked)
	all["one"] = newIndex(t, docs)
	match := bleve.NewMatchQuery("common")
	match.SetField("body")
	for name, x := range all {
		for _, by := range [][]string{nil, {"-version"}} {
			t.Run(fmt.Sprint(name, by), func(t *testing.T) {
				t.Parallel()
				r := bleve.NewSearchRequest(match)
				if by != nil {
					r.SortBy(by)
				}
				all := rank(t, x, r)
				for _, o := range []collapse.Options{{Budget: 97}, {Budget: 40, Visible: 2}, {Budget: 11, Missing: collapse.GroupMissing}} {
					if testing.Short() && o.Budget < 97 {
						continue
					}
					if diff := difference(gather(t, x, r, o, 10, true), all.collapsed(o)); diff != "" {
						t.Errorf("budget %d: %s", o.Budget, diff)
					}
				}
			})
		}
	}
}

// With what they match damaged, foreign or without a signature at random, pages are the
// oracle's, too.
func TestSpoiledAgainstOracle(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(109, 110))
	documents := spoiled(t, rnd, families(rnd, size(150, 60), 60))
	for _, indexType := range []string{"scorch", "unguarded"} {
		x := stored(t, indexType, documents)
		r := bleve.NewSearchRequest(bleve.NewMatchAllQuery())
		r.SortBy([]string{"-_id"})
		all := rank(t, x, r)
		for _, missing := range []collapse.Missing{collapse.KeepMissing, collapse.DropMissing, collapse.GroupMissing} {
			o := collapse.Options{Missing: missing}
			compareTo(t, x, r, o, all.collapsed(o), 13, 500)
		}
	}
}
