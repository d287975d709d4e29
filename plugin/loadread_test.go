package plugin_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/plugin/near"
)

// similar asks for the near-duplicates of a text.
func (l *load) similar(rnd *rand.Rand) error {
	f, v := rnd.IntN(len(l.texts)), rnd.IntN(variants)
	return l.ask(f, v, "", near.SimilarQuery{Text: []string{l.texts[f][v]}})
}

// similarID asks for those of a document that is there.
func (l *load) similarID(rnd *rand.Rand) error {
	f := rnd.IntN(len(l.texts))
	id := docID(f, rnd.IntN(perFamily))
	v := l.look(f, f+1)[id].variant
	return l.ask(f, v, id, near.SimilarQuery{ID: id})
}

func (l *load) ask(f, v int, self string, q near.SimilarQuery) error {
	before := l.look(f, f+1)
	res, err := near.Similar(context.Background(), l.x, near.SimilarRequest{Query: q, Size: 100})
	steady := l.still(before, f, f+1)
	if own, ok := steady[self]; self != "" && (!ok || own != v) {
		return nil // it was written meanwhile
	}
	if errors.Is(err, near.ErrNotFound) && self != "" && v < 0 {
		return nil
	}
	if err != nil {
		return err
	}
	if self != "" && v < 0 {
		return fmt.Errorf("near-duplicates of %s, which is not there", self)
	}
	found := map[string]bool{}
	for _, hit := range res.Hits {
		if found[hit.ID] = true; l.family(hit.ID) != f {
			return fmt.Errorf("%s is found for family %d", hit.ID, f)
		}
	}
	for id, there := range steady {
		if want := id != self && there >= 0 && l.near[f][v][there]; found[id] != want {
			return fmt.Errorf("%s, of variant %d: found %v for variant %d, want %v", id, there, found[id], v, want)
		}
	}
	return nil
}

// page collapses a page of 10.
func (l *load) page(rnd *rand.Rand) error { return l.collapse(rnd, 10, collapse.Options{}) }

// whole collapses the whole set, of which no document may be missing.
func (l *load) whole(rnd *rand.Rand) error {
	return l.collapse(rnd, 1000, collapse.Options{Whole: true})
}

func (l *load) collapse(rnd *rand.Rand, size int, o collapse.Options) error {
	bucket := rnd.IntN((len(l.texts) + perBucket - 1) / perBucket)
	from, until := bucket*perBucket, min((bucket+1)*perBucket, len(l.texts))
	q := bleve.NewTermQuery(fmt.Sprint(bucket))
	q.SetField("bucket")
	before := l.look(from, until)
	res, err := collapse.Search(context.Background(), l.x, bleve.NewSearchRequestOptions(q, size, 0, false), o)
	if err != nil {
		return err
	}
	steady := l.still(before, from, until)
	var heads []string
	shown := map[string]bool{}
	for i, hit := range res.Hits {
		v, known := steady[hit.ID]
		if shown[hit.ID] {
			return fmt.Errorf("%s is shown twice", hit.ID)
		}
		shown[hit.ID] = true
		for _, m := range res.Groups[i].Members {
			if shown[m.ID] = true; l.family(m.ID) != l.family(hit.ID) {
				return fmt.Errorf("%s lies under %s", m.ID, hit.ID)
			}
			if w, ok := steady[m.ID]; ok && known && !l.alike(hit.ID, v, m.ID, w) {
				return fmt.Errorf("%s, of variant %d, lies under %s, of variant %d", m.ID, w, hit.ID, v)
			}
		}
		if known {
			heads = append(heads, hit.ID)
		}
	}
	for i, a := range heads {
		for _, b := range heads[:i] {
			if l.alike(a, steady[a], b, steady[b]) {
				return fmt.Errorf("%s and %s are both shown", b, a)
			}
		}
	}
	for id, v := range steady {
		if shown[id] && v < 0 || !shown[id] && v >= 0 && o.Whole {
			return fmt.Errorf("%s, of variant %d: shown %v", id, v, shown[id])
		}
	}
	return nil
}

// get reads a document.
func (l *load) get(rnd *rand.Rand) error {
	f := rnd.IntN(len(l.texts))
	id := docID(f, rnd.IntN(perFamily))
	before := l.look(f, f+1)
	doc, err := l.x.Document(id)
	if err != nil {
		return err
	}
	if v, ok := l.still(before, f, f+1)[id]; ok && (doc != nil) != (v >= 0) {
		return fmt.Errorf("%s, of variant %d: there %v", id, v, doc != nil)
	}
	return nil
}

// groups lists all groups, each of one family.
func (l *load) groups(*rand.Rand) error {
	before := l.look(0, len(l.texts))
	in := map[string]string{} // its head
	for c, err := range near.Groups(context.Background(), l.x, near.GroupsOptions{MinSize: 1}) {
		if err != nil {
			return err
		}
		in[c.Head.ID] = c.Head.ID
		for _, m := range c.Members {
			in[m.ID] = c.Head.ID
		}
	}
	steady := l.still(before, 0, len(l.texts))
	for id, v := range steady {
		head, found := in[id]
		if found != (v >= 0) {
			return fmt.Errorf("%s, of variant %d: in a group %v", id, v, found)
		}
		if w, ok := steady[head]; found && ok && !l.alike(head, w, id, v) {
			return fmt.Errorf("%s, of variant %d, is in the group of %s, of variant %d", id, v, head, w)
		}
	}
	return nil
}
