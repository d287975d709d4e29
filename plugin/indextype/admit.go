package indextype

import (
	"context"
	"maps"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/analysis/tokenizer/single"
	"github.com/blevesearch/bleve/v2/document"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/column"
	"github.com/neardup/bleve-neardup/plugin/admission"
)

// Admission comes between the signature and scorch: documents are signed first, on
// all processors, and what is refused costs no more than that and a lookup.

// Gate judges what is written to the index. It accepts everything until it is given
// a policy.
func (x *Index) Gate() *admission.Gate { return x.gate }

// callPrefix begins keys of internal values that are none: they tell a batch that
// somebody waits for its verdicts.
const callPrefix = "\x00neardup/call/"

// Call asks for the verdicts of one batch.
type Call struct {
	// Key is to be set as an internal value of the batch; it is not written.
	Key []byte

	// Dry has the batch judged, and not written.
	Dry bool

	// Verdicts are there once the batch was written, for all of its documents in the
	// order of their ids.
	Verdicts []admission.Verdict
}

// Begin returns a Call for one batch. End must be called when the batch was written.
func (x *Index) Begin(dry bool) *Call {
	c := &Call{Dry: dry}
	key := callPrefix + strconv.FormatUint(x.callsMade.Add(1), 10)
	c.Key = []byte(key)
	x.calls.Store(key, c)
	return c
}

// End forgets a Call.
func (x *Index) End(c *Call) {
	if c != nil {
		x.calls.Delete(string(c.Key))
	}
}

// called takes the calls out of the internal values of a batch.
func (x *Index) called(internal map[string][]byte) (c *Call, rest map[string][]byte) {
	rest = internal
	for key := range internal {
		if !strings.HasPrefix(key, callPrefix) {
			continue
		}
		rest = maps.Clone(rest)
		delete(rest, key)
		if known, ok := x.calls.Load(key); ok {
			c = known.(*Call)
		}
	}
	return c, rest
}

// admit judges the documents of a batch, takes those that are rejected out of it, and
// tags others. done must be called when the batch was written.
func (x *Index) admit(p *admission.Policy, batch *index.Batch, dry bool) (verdicts []admission.Verdict, done func(), err error) {
	var docs []*admission.Document
	var deletes []string
	for _, id := range slices.Sorted(maps.Keys(batch.IndexOps)) {
		if doc := batch.IndexOps[id]; doc == nil {
			deletes = append(deletes, id)
		} else {
			docs = append(docs, &admission.Document{ID: id, Document: doc})
		}
	}
	describe(p, docs)
	a, err := x.gate.Judge(context.Background(), p, docs, deletes, dry)
	if err != nil {
		return nil, nil, err
	}
	for i, v := range a.Verdicts {
		d, ok := batch.IndexOps[v.ID].(*signed)
		switch {
		case v.Action == admission.Reject:
			delete(batch.IndexOps, v.ID)
			continue
		case !ok || len(d.sources) == 0:
			continue
		case v.Action == admission.Tag:
			d.tag(v)
		}
		if p.Timed() {
			at := docs[i].Time.UTC().Format(time.RFC3339Nano)
			d.fields = append(d.fields, newStored(signature.TimeField(p.FieldName()), func() []byte { return []byte(at) }))
		}
	}
	for _, id := range a.Deletes {
		if _, written := batch.IndexOps[id]; !written {
			batch.IndexOps[id] = nil
		}
	}
	return a.Verdicts, a.Close, nil
}

// describe fills in what a Gate must know of the documents, on all processors.
func describe(p *admission.Policy, docs []*admission.Document) {
	var next atomic.Int64
	var wait sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(docs)) {
		wait.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(docs)); i = next.Add(1) - 1 {
				d := docs[i]
				s, ok := d.Document.(*signed)
				if !ok {
					continue
				}
				if own := s.sources[p.FieldName()]; own != nil {
					own.count = own.count || p.Repetition != nil
					own.make()
					d.Signature, d.Repetition = &own.sig, own.repetition
				}
				s.describe(p, d)
			}
		})
	}
	wait.Wait()
}

// describe reads the scope and the time of a document.
func (s *signed) describe(p *admission.Policy, d *admission.Document) {
	terms := map[string]bool{}
	for _, f := range s.Document.Fields {
		if p.Scope != "" && f.Name() == p.Scope && f.Options().IsIndexed() {
			f.Analyze()
			for term := range f.AnalyzedTokenFrequencies() {
				terms[term] = true
			}
		}
		if at, ok := f.(*document.DateTimeField); ok && p.Time != "" && f.Name() == p.Time {
			if t, _, err := at.DateTime(); err == nil {
				d.Time = t
			}
		}
	}
	var scope [][]byte
	for term := range terms {
		scope = append(scope, []byte(term))
	}
	d.Scope = column.ScopeOf(scope...)
}

// whole is the analyzer of fields of which the value is one term.
var whole = &analysis.DefaultAnalyzer{Tokenizer: single.NewSingleTokenTokenizer()}

// tag adds the fields that say why a document was tagged.
func (s *signed) tag(v admission.Verdict) {
	const options = index.IndexField | index.StoreField | index.DocValues
	s.fields = append(s.fields, document.NewTextFieldCustom(admission.TagField, nil, []byte(v.Policy), options, whole))
	if v.Of != "" {
		s.fields = append(s.fields, document.NewTextFieldCustom(admission.OfField, nil, []byte(v.Of), options, whole))
	}
}
