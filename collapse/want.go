package collapse

import (
	"cmp"
	"context"
	"sync"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/analysis/signature"
)

// How many hits a page takes is known only when the copies among them are, and each
// question to an index in several places costs a round to all of them. So Search puts a
// Want into the context of its question, for members of an alias that know of it: such
// a part walks its own hits until enough of them would be visible if there were no other
// part, and answers with all of those, in their order and with their signatures. The
// lists are merged as far as the first of them that ends without being at its end, and
// walked again: a hit that stays in its part may be hidden by a head of another, and one
// that its part would hide may come back because its head is hidden itself.
//
// Every visible hit of the part whose list ends first is among the merged ones, or near
// to a head that is. So one round is enough for nearly all pages. A Want goes from the
// coordinator to a node, and from there to its partitions, in the same way.

type wantKey struct{}

// Want is what a Search asks of a part of its index. In JSON it goes to parts elsewhere.
type Want struct {
	// Field and Rule are as in Options, and nil stands for the same rule.
	Field string          `json:"field,omitempty"`
	Rule  *signature.Rule `json:"rule,omitempty"`

	// Visible is how many hits are to be visible, PerGroup how many of a group are, and
	// Hits is how many are to be looked at, at the most.
	Visible  int `json:"visible"`
	PerGroup int `json:"per_group"`
	Hits     int `json:"hits"`

	mutex sync.Mutex
	parts []*Ranked
}

// Wanted returns the Want of the Search that ctx comes from, or nil. Who implements
// bleve.Index for an index elsewhere gives an answer to Add; who does not, and answers as
// bleve does, is asked for somewhat more hits, with their signatures as stored fields.
func Wanted(ctx context.Context) *Want {
	w, _ := ctx.Value(wantKey{}).(*Want)
	return w
}

// Ranked is the answer to a Want.
type Ranked struct {
	// SearchResult is bleve's, without hits.
	*bleve.SearchResult

	hits []rankedHit
	more bool // there are hits behind the last
}

// rankedHit is a hit with its signature, or why it has none.
type rankedHit struct {
	*search.DocumentMatch
	sig  *signature.Signature
	err  error
	bare bool // fields and highlights are not loaded
}

// Rank answers w from x: an index at hand, or an alias of parts.
func (w *Want) Rank(ctx context.Context, x bleve.Index, r *bleve.SearchRequest) (*Ranked, error) {
	ctx = context.WithValue(ctx, wantKey{}, nil)
	walk, err := newWalk(Options{Field: w.Field, Rule: w.Rule, Visible: w.PerGroup, Budget: w.Hits})
	if err != nil {
		return nil, err
	}
	watch := &watched{anyIndex: x}
	s, err := newScan(watch, w.own(r), walk)
	if err != nil {
		return nil, err
	}
	defer s.source.close()
	want := max(0, min(w.Visible, walk.options.Budget))
	walk.reserve(want)
	defer walk.release()
	all := make([]rankedHit, 0, 2*want)
	walk.read = func(hit *search.DocumentMatch) (*signature.Signature, error) {
		sig, err := s.source.read(hit)
		all = append(all, rankedHit{DocumentMatch: hit, sig: sig, err: err})
		return sig, err
	}
	if err := s.run(ctx, want); err != nil {
		return nil, err
	}
	all = all[:s.taken] // the one behind was read, and refused
	if err := s.load(ctx, all); err != nil {
		return nil, err
	}
	base := *s.base
	base.Hits, base.Took = nil, s.took
	if watch.worst != nil {
		base.Status = watch.worst
	}
	return &Ranked{&base, all, !s.done}, nil
}

// loads reports whether r asks for what has to be loaded for each hit.
func loads(r *bleve.SearchRequest) bool { return len(r.Fields) > 0 || r.Highlight != nil }

// load loads what the caller wants of the visible hits: the others are not likely to be
// shown.
func (s *scan) load(ctx context.Context, all []rankedHit) error {
	if !loads(s.caller) {
		return nil
	}
	visible := make(map[*search.DocumentMatch]bool, len(s.walk.hits))
	for _, hit := range s.walk.hits {
		visible[hit] = true
	}
	for i := range all {
		if all[i].bare = !visible[all[i].DocumentMatch]; all[i].bare {
			all[i].Fields, all[i].Fragments = nil, nil
		}
	}
	return s.show(ctx, s.walk.hits)
}

// show loads what the caller wants of hits, if it is not there.
func (s *scan) show(ctx context.Context, hits search.DocumentMatchCollection) error {
	for _, hit := range hits {
		if err := s.source.show(hit); err != nil {
			return err
		}
	}
	from, ok := s.source.(*stored)
	if !ok {
		return nil
	}
	var refs []Ref
	bare := map[Ref]*search.DocumentMatch{}
	for _, hit := range hits {
		if r := from.ranked[hit]; r != nil && r.bare {
			refs, bare[refOf(hit)] = append(refs, refOf(hit)), hit
		}
	}
	loaded, err := named(ctx, from.index.SearchInContext,
		bleve.SearchRequest{Query: s.caller.Query, Fields: s.caller.Fields, Highlight: s.caller.Highlight}, refs)
	for _, hit := range loaded {
		if b := bare[refOf(hit)]; b != nil {
			b.Fields, b.Fragments = hit.Fields, hit.Fragments
		}
	}
	return err
}

// Add makes the answer of a part known, and returns what bleve's alias is to merge. Of
// each part only one answer may be added. Hits that name no index are of the one named.
func (w *Want) Add(part *Ranked, index string) *bleve.SearchResult {
	for _, hit := range part.hits {
		hit.Index = cmp.Or(hit.Index, index)
	}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.parts = append(w.parts, part)
	return part.SearchResult
}

// merge merges hits that are in order, all or some, with what parts gave, and drops what
// is behind the end of a list that has more.
func (s *stored) merge(order search.SortOrder, own search.DocumentMatchCollection, all bool, parts []*Ranked) (search.DocumentMatchCollection, bool) {
	lists := make([][]rankedHit, 1+len(parts))
	more := []bool{!all}
	for _, hit := range own {
		lists[0] = append(lists[0], rankedHit{DocumentMatch: hit})
	}
	sum := len(own)
	for i, p := range parts {
		lists[1+i], more = p.hits, append(more, p.more)
		sum += len(p.hits)
	}
	for i, l := range lists {
		if len(l) == 0 && more[i] {
			return nil, false
		}
	}
	if s.ranked == nil {
		s.ranked = make(map[*search.DocumentMatch]*rankedHit, sum)
	}
	less := before(order)
	hits := make(search.DocumentMatchCollection, 0, sum)
	for {
		best := -1
		for i, l := range lists {
			if len(l) > 0 && (best < 0 || less(l[0].DocumentMatch, lists[best][0].DocumentMatch)) {
				best = i
			}
		}
		if best < 0 {
			return hits, true
		}
		next := &lists[best][0]
		if best > 0 {
			s.ranked[next.DocumentMatch] = next
		}
		hits = append(hits, next.DocumentMatch)
		if lists[best] = lists[best][1:]; len(lists[best]) == 0 && more[best] {
			return hits, false
		}
	}
}

// before reports the order of hits, by their ids where they tie.
func before(order search.SortOrder) func(a, b *search.DocumentMatch) bool {
	byScore, desc := order.CacheIsScore(), order.CacheDescending()
	return func(a, b *search.DocumentMatch) bool {
		if tie(order, a, b) {
			return a.ID < b.ID
		}
		return order.Compare(byScore, desc, a, b) < 0
	}
}

// Part is an index as a member of an alias: Search then has signatures of its hits from
// memory, if it is one of type neardup at hand, and asks for no more hits than it needs.
func Part(x bleve.Index) bleve.Index { return part{x} }

type part struct{ anyIndex }

// SearchInContext implements bleve.Index.
func (p part) SearchInContext(ctx context.Context, r *bleve.SearchRequest) (*bleve.SearchResult, error) {
	w := Wanted(ctx)
	if w == nil {
		return p.anyIndex.SearchInContext(ctx, r)
	}
	ranked, err := w.first(ctx, p.anyIndex, r)
	if ranked == nil && err == nil {
		ranked, err = w.Rank(ctx, p.anyIndex, r)
	}
	if err != nil {
		return nil, err
	}
	return w.Add(ranked, p.Name()), nil
}

// Search implements bleve.Index.
func (p part) Search(r *bleve.SearchRequest) (*bleve.SearchResult, error) {
	return p.SearchInContext(context.Background(), r)
}

// first is Rank without a look at signatures: the best hits, as many as are to be
// visible. It returns nil if x does not rank by itself.
func (w *Want) first(ctx context.Context, x bleve.Index, request *bleve.SearchRequest) (*Ranked, error) {
	r := w.own(request)
	order := ranking(r.Sort)
	h, err := highlighter(r.Highlight)
	if err != nil {
		return nil, err
	}
	l := &local{index: x, field: cmp.Or(w.Field, signature.DefaultField), caller: r, highlighter: h}
	defer l.close()
	if rankable(ctx, l, r, order) == nil {
		return nil, nil
	}
	n := min(w.Visible, w.Hits)
	ranked := newRanked(n)
	defer ranked.release()
	asked := *r
	asked.Sort, asked.From, asked.Size = order, 0, n
	res, saw, err := l.collect(ctx, &asked, func(sc *search.SearchContext) (search.DocumentMatchHandler, bool, error) {
		ranked.pool = sc.DocumentMatchPool
		return ranked.add, false, nil
	})
	if err != nil || ranked.unfit || saw == nil || saw.signatures == nil {
		return nil, err
	}
	hits := make([]rankedHit, 0, n)
	signatures := make([]signature.Signature, n)
	name := x.Name()
	for i := range n {
		hit, err := ranked.pull(saw, n)
		if err != nil {
			return nil, err
		}
		if hit == nil {
			break
		}
		if hit.Index = name; loads(r) {
			if err := l.show(hit); err != nil {
				return nil, err
			}
		}
		h := rankedHit{DocumentMatch: hit}
		h.sig, h.err = inMemory(saw.signatures, hit.IndexInternalID, &signatures[i])
		hits = append(hits, h)
	}
	return &Ranked{res, hits, uint64(len(hits)) < res.Total}, nil
}

// own returns a copy of r as it was before stored.search added the stored signature, for
// those that know of no Want.
func (w *Want) own(r *bleve.SearchRequest) *bleve.SearchRequest {
	own := *r
	if n := len(r.Fields) - 1; n >= 0 && r.Fields[n] == signature.SketchField(cmp.Or(w.Field, signature.DefaultField)) {
		own.Fields = r.Fields[:n:n]
	}
	return &own
}
