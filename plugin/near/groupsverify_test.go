package near_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/neartest"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/near"
)

// verifiedPage is a page whose text might not be stored.
type verifiedPage struct {
	page
	stored bool
	family int
	set    map[string]struct{}
}

// reworded returns pages of families of which many are near the edge, with equal pages, excerpts
// and pages of a few words among them.
func reworded(rnd *rand.Rand, n int) (pages []verifiedPage) {
	word := 0
	fresh := func() string { word++; return fmt.Sprint("w", word) }
	var base []string
	for i := range n {
		if i%30 == 0 {
			base = nil
			for range 60 + rnd.IntN(200) {
				base = append(base, fresh())
			}
		}
		own := slices.Clone(base)
		switch rnd.IntN(10) {
		case 0:
			own = own[:len(own)*(60+rnd.IntN(40))/100]
		case 1:
			own = own[:1+rnd.IntN(4)]
		case 2:
		default:
			for range rnd.IntN(len(own) / 16) {
				own[rnd.IntN(len(own))] = fresh()
			}
		}
		p := verifiedPage{newPage(fmt.Sprint("p", i), strings.Join(own, " ")), rnd.IntN(6) > 0, i / 30, neartest.Shingles(own, 4)}
		if len(own) < 4 {
			p.set = map[string]struct{}{p.body: {}}
		}
		pages = append(pages, p)
	}
	return pages
}

// compared is what two pages have in common by v, from all their shingles.
func compared(v signature.Verify, a, b *verifiedPage) (m near.Member, near bool) {
	rule := signature.Rule{}
	if m.Verified = a.stored && b.stored; m.Verified {
		if v.Resemblance > 0 {
			rule.Lanes = min(90, v.Lanes(100))
		}
		both := 0
		for s := range a.set {
			if _, ok := b.set[s]; ok {
				both++
			}
		}
		m.Resemblance = float64(both) / float64(len(a.set)+len(b.set)-both)
		near = v.Resemblance > 0 && m.Resemblance >= v.Resemblance || v.Contained && both > 0 && both == min(len(a.set), len(b.set))
	}
	var proposed bool
	m.Match, proposed = rule.Match(&a.sig, &b.sig)
	if m.Verified && !proposed { // nothing is proposed, so nothing is compared
		m.Verified = false
	}
	if !m.Verified {
		m.Match, near = signature.Rule{}.Match(&a.sig, &b.sig)
		r, _ := a.sig.Resemblance(&b.sig)
		m.Resemblance = r.Value
		near = near && !(a.stored && b.stored)
	}
	if near = near && (proposed || !m.Verified); !near {
		m.By = 0
	}
	return m, near
}

// With Verify groups are those of the sets of shingles, compared pair by pair.
func TestGroupsVerify(t *testing.T) {
	t.Parallel()
	for n, v := range []signature.Verify{{Resemblance: .8}, {Contained: true}, {Resemblance: .9, Contained: true}} {
		pages := reworded(rand.New(rand.NewPCG(31, uint64(n))), 120)
		m := newGroupedMapping()
		m.DefaultMapping.AddFieldMappingsAt("body", bleve.NewTextFieldMapping())
		plugin.AddSignature(m.DefaultMapping, "hidden")
		m.DefaultMapping.Properties["hidden"].Fields = m.DefaultMapping.Properties["hidden"].Fields[1:] // not stored
		parts := make([]bleve.Index, 2)
		for i := range parts {
			x, err := plugin.New("", m)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { x.Close() })
			parts[i] = x
			batch := x.NewBatch()
			for j, p := range pages {
				doc := map[string]any{"body": p.body}
				if !p.stored {
					doc = map[string]any{"hidden": p.body}
				}
				if j%2 == i {
					if err := batch.Index(p.id, doc); err != nil {
						t.Fatal(err)
					}
				}
			}
			if err := x.Batch(batch); err != nil {
				t.Fatal(err)
			}
		}
		var all []page
		for _, p := range pages {
			all = append(all, p.page)
		}
		o := newOracleBy(all, groupedOracle{verify: v, member: func(i, j int) near.Member {
			m, _ := compared(v, &pages[i], &pages[j])
			return m
		}}, func(i, j int) bool {
			_, near := compared(v, &pages[i], &pages[j])
			return near && pages[i].family == pages[j].family // others have no word in common
		})
		for _, by := range []near.By{near.Leaders, near.Components} {
			o.hold(t, bleve.NewIndexAlias(parts...), near.GroupsOptions{By: by}, nil)
			confirmed := 0
			for _, g := range o.groups(by, false, 2, nil) {
				for _, m := range g.Members {
					if m.Verified && m.Agree < 90 {
						confirmed++
					}
				}
			}
			if v.Resemblance == .8 && confirmed < 5 {
				t.Errorf("%+v by %s: %d members by texts alone: this test shows little", v, by, confirmed)
			}
		}
	}
}
