package hits

import (
	"context"
	"fmt"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/mapping"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/indexes"
	"github.com/neardup/bleve-neardup/internal/stored"
	"github.com/neardup/bleve-neardup/internal/verify"
)

// Texts reads the stored texts of hits, of one index or of the members of an alias, for the search that has Verify. It
// reads local indexes from a snapshot, each hit in microseconds, and remote ones by a search for the one document. It is
// not safe for concurrent use, and must be closed.
type Texts struct {
	ctx    context.Context
	field  string
	leaves []*leaf
	cache  verify.Cache[Place]

	failed bleve.IndexErrMap // why indexes did not give a text, by name
	err    error             // see Err
}

// Unmapped is the error of a text that is needed of a remote index, whose mapping is not known here.
type Unmapped string

func (e Unmapped) Error() string { return string(e) }

// leaf is one index.
type leaf struct {
	bleve.Index
	reader index.IndexReader // nil of a remote index
	local  *SnapshotTexts    // nil of a remote index
	remote *verify.Texts
	blind  bool // it is remote, and no mapping says where its texts are
}

// OpenTexts returns the Texts of a field of x.
func OpenTexts(ctx context.Context, x bleve.Index, field string) (*Texts, error) {
	r := &Texts{ctx: ctx, field: field}
	leaves := indexes.Leaves(x)
	known := x.Mapping() // of an alias, or else of the first member that has one
	for _, x := range leaves {
		if known == nil {
			known = x.Mapping()
		}
	}
	for _, x := range leaves {
		l, err := openTexts(x, field, known)
		if err != nil {
			r.Close()
			return nil, err
		}
		r.leaves = append(r.leaves, l)
	}
	return r, nil
}

// openTexts returns a leaf; known is the mapping of one that does not tell its own.
func openTexts(x bleve.Index, field string, known mapping.IndexMapping) (*leaf, error) {
	l := &leaf{Index: x}
	_, reader, err := indexes.Reader(x)
	if err == nil {
		if l.local, err = NewSnapshotTexts(reader, x.Mapping(), field); err != nil {
			reader.Close()
			return nil, err
		}
		l.reader = reader
		return l, nil
	}
	if own := x.Mapping(); own != nil {
		known = own
	}
	l.blind = known == nil
	sets, _ := indexes.Templates(x, field) // without them, a text of which something is left out is not its signature's
	l.remote, err = verify.NewTexts(known, field, sets...)
	return l, err
}

// Close lets go of the snapshots.
func (r *Texts) Close() {
	for _, l := range r.leaves {
		if l.reader != nil {
			l.reader.Close()
		}
	}
}

// Lanes is the least number of lanes that sketches have, as far as mappings tell; else the default.
func (r *Texts) Lanes() int {
	var mappings []mapping.IndexMapping
	for _, l := range r.leaves {
		mappings = append(mappings, l.Mapping())
	}
	return LeastLanes(r.field, mappings)
}

// Err returns why no text can be read: bleve's error if the search ended, or a mapping is missing.
func (r *Texts) Err() error { return r.err }

// Status returns which indexes failed to give a text, as bleve has it of an alias; nil if none failed.
func (r *Texts) Status() *bleve.SearchStatus {
	if len(r.failed) == 0 {
		return nil
	}
	all, failed := len(r.leaves), len(r.failed)
	return &bleve.SearchStatus{Total: all, Failed: failed, Successful: all - failed, Errors: r.failed}
}

// Text returns the text of a hit, nil if it is not stored, cannot be read, or is none that the
// signature of the hit was made from.
func (r *Texts) Text(hit *stored.Hit) *verify.Text {
	return r.cache.Text(PlaceOf(hit.DocumentMatch), func() *verify.Text {
		for _, l := range r.of(hit) {
			if text := r.read(l, hit); text != nil {
				return text
			}
		}
		return nil
	})
}

// of returns the indexes that a hit can be of: all if none has the name, since one can be an alias itself.
func (r *Texts) of(hit *stored.Hit) (some []*leaf) {
	for _, l := range r.leaves {
		if l.Name() == hit.Index {
			some = append(some, l)
		}
	}
	if len(some) == 0 {
		return r.leaves
	}
	return some
}

// read reads a text from one index.
func (r *Texts) read(l *leaf, hit *stored.Hit) *verify.Text {
	if l.local != nil {
		// The number that the document had in the snapshot of the search is mostly its number here: to find
		// the id takes a look into each segment. A text of the hit's signature is the hit's, wherever it is.
		if len(hit.IndexInternalID) == 8 {
			if text := l.local.Text(hit.IndexInternalID, hit.Signature); text != nil {
				return text
			}
		}
		id, err := l.reader.InternalID(hit.ID)
		if id == nil || err != nil {
			return nil
		}
		return l.local.Text(id, hit.Signature)
	}
	hits, err := ByIDs(r.ctx, l.search, bleve.SearchRequest{Fields: l.remote.Fields()}, []string{hit.ID})
	if err != nil {
		r.fail(l, err)
	}
	for _, found := range hits {
		if text := l.remote.Stored(hit.Signature, verify.OfHit(found.Fields)); text != nil {
			return text
		}
	}
	return nil
}

// search is bleve's SearchInContext, with an error where a member of the index failed.
func (l *leaf) search(ctx context.Context, request *bleve.SearchRequest) (*bleve.SearchResult, error) {
	found, err := l.SearchInContext(ctx, request)
	if err == nil && Failed(found) > 0 {
		err = fmt.Errorf("members failed: %v", found.Status.Errors)
	}
	return found, err
}

// fail notes that an index failed to give a text.
func (r *Texts) fail(l *leaf, err error) {
	if ended := r.ctx.Err(); ended != nil {
		r.err = ended
		return
	}
	if r.failed == nil {
		r.failed = bleve.IndexErrMap{}
	}
	r.failed[l.Name()] = fmt.Errorf("collapse: verify: a text: %w", err)
}

// Judge returns what judges a head and a hit: by their texts, or by the rule where a text is not
// there.
func (r *Texts) Judge(rule signature.Rule, v signature.Verify) func(head, hit *stored.Hit) (verify.Finding, bool) {
	judge := verify.Judge{Verify: v, Rule: rule}
	return func(head, hit *stored.Hit) (verify.Finding, bool) {
		a, b := head.Signature, hit.Signature
		equal := a.Exact == b.Exact && a.Params == b.Params // then texts would say what the rule says
		text := func(of *stored.Hit) func() *verify.Text {
			return func() *verify.Text {
				text := r.Text(of)
				if text == nil && !equal {
					r.needs(of)
				}
				return text
			}
		}
		return judge.Pair(a, b, text(head), text(hit))
	}
}

// needs notes that the text of a hit is needed which was not found, if nothing says where it is.
func (r *Texts) needs(hit *stored.Hit) {
	for _, l := range r.of(hit) {
		if r.err == nil && l.blind {
			r.err = Unmapped(fmt.Sprintf("verify: index %q: wanted a mapping that says where the text of field %q is, "+
				"got none: SetIndexMapping gives one to an alias of remote indexes", l.Name(), r.field))
		}
	}
}
