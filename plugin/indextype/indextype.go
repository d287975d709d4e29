// Package indextype is the bleve index type "neardup": scorch that keeps a
// signature of every document.
//
// Import it for its side effect, or import package plugin, which does, and which has
// functions for policies, purging and more. An index made with
//
//	bleve.NewUsing(path, mapping, indextype.Name, "boltdb", nil)
//
// stores, for each fingerprinted field F of the mapping (a text field whose
// analyzer is of type neardup), more fields of the document:
//
//	~F.sketch    the signature in its text form, which holds the sketch
//	~F.simhash   the simhash, as 16 hexadecimal digits
//
// and where they are asked for
//
//	~F.time      the document's time (package admission)
//	~F.passages  what is selected of its passages (package analysis/signature/winnow); not stored
//
// To bleve the stored ones are fields like any others: a search by bleve with the fields "*",
// Document and Fields show them, 320 bytes a document. An index type cannot prevent that:
// bleve asks for a document without saying which fields it wants. Results of package collapse
// leave them out unless a request names them.
//
// bleve remembers the index type, and bleve.Open opens it again. A program without the import
// gets bleve's error "unknown index type", so it cannot write documents without a signature.
//
// Every write reaches [Index.Batch], whether it comes by bleve.Index.Index, Batch, or an
// alias of one index. Batch replaces a document that has fingerprinted text by a copy, which makes the signature when
// scorch analyses it in its parallel workers, or before that if a policy judges the document, and gives it to scorch as
// more fields. The caller's document does not change, so the caller can send a batch again.
//
// The analyzer's terms, if it emits any, stay out of _all and its length, so no score changes. A
// fingerprinted field without terms, stored values and doc values is not in the segment at all, as each
// field of a segment costs bleve .1 ms.
//
// The names of the stored fields begin with "~" so that they sort after the document's own
// fields. scorch compresses the stored values of a document as one block, in the order of
// their names. Random bytes before a text cost 50 bytes a document more than after it.
package indextype

import (
	"context"
	"errors"
	"expvar"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/blevesearch/bleve/v2/index/scorch"
	"github.com/blevesearch/bleve/v2/registry"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/template"
	"github.com/neardup/bleve-neardup/internal/column"
	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/internal/engine"
	"github.com/neardup/bleve-neardup/plugin/internal/gate"
	"github.com/neardup/bleve-neardup/plugin/internal/marks"
)

// Name is the name of the index type.
const Name = "neardup"

// FamiliesKey names a setting of bleve.OpenUsing. If it is true, the families of near-duplicates by which collapse
// groups all matches of a search (Options.Whole) are found as soon as the index is open, beside whatever else is done.
// Otherwise they are found when searches have compared an eighth as many matches as there are documents. They take the
// memory of a lookup, and 8 bytes more a document.
const FamiliesKey = "neardup_families"

// ErrClosed is the error of an index after Close. It is also bleve.ErrorIndexClosed, as
// errors.Is sees it.
var ErrClosed = engine.ErrClosed

// Index is scorch that signs and judges the documents that are written to it. Where scorch panics or waits for ever,
// because the index is closed, in memory or open with read_only, the Engine returns an error.
type Index struct {
	*engine.Engine
	close func() error

	columns *column.Store // the signatures that searches have read
	finds   bool          // FamiliesKey
	counts  *expvar.Map   // figures of StatsMap
	gate    *gate.Gate    // judges what is written, and orders writes
	marks   *marks.Marks
	store   *marks.Store // of marks

	policy    atomic.Pointer[admission.Policy]          // the one in force, nil if there is none
	templates atomic.Pointer[map[string]*template.Sets] // what signatures are made without, by field; not changed once it is here
}

// New is the constructor that bleve calls. config has scorch's settings.
func New(storeName string, config map[string]any, queue *index.AnalysisQueue) (index.Index, error) {
	e, err := engine.New(storeName, config, queue)
	if err != nil {
		return nil, err
	}
	x := &Index{Engine: e, columns: new(column.Store), counts: newCounts()}
	x.finds, _ = config[FamiliesKey].(bool)
	x.templates.Store(&map[string]*template.Sets{})
	x.store = marks.NewStore(config, queue, func(b *index.Batch) error { return engine.Persist(context.Background(), e, b) })
	x.marks = marks.Of(x.store)
	x.gate = gate.New(x.Reader, x.marks)
	x.close = sync.OnceValue(func() error {
		err := errors.Join(x.marks.KeepUses(true), x.store.Close())
		x.columns.Close()
		return errors.Join(err, e.Close())
	})
	return x, nil
}

// Open opens the index with the policy, the templates and the marks that it keeps, and removes
// what an interrupted purge has left. It returns an error, and the index is closed, if the files
// cannot be opened, and in three more cases:
//
//   - The policy or the templates cannot be read, or the mapping lacks what they need.
//     Everything would be accepted, or new signatures would match no old one.
//   - The signatures or the marks have another format. Nothing would fold. The error wraps
//     signature.ErrVersion. With the setting read_only the index opens all the same, so that
//     package plugin/backfill can read it.
//   - The folder of the marks is gone, or cannot be read. Spam would be accepted.
func (x *Index) Open() error {
	if err := x.Engine.Open(); err != nil {
		return err
	}
	if err := x.openKept(); err != nil {
		return errors.Join(err, x.Close())
	}
	return nil
}

// openKept puts in force what the index keeps, if this version can read it.
func (x *Index) openKept() error {
	snapshot, err := column.Snapshot(x.Scorch)
	if err != nil {
		return err
	}
	defer snapshot.Close()
	if x.Writable() == nil {
		if err := checkFormat(snapshot); err != nil {
			return err
		}
	}
	if err := x.putInForce(snapshot.Internal()); err != nil {
		return err
	}
	if x.finds {
		if err := x.findFamilies(snapshot); err != nil {
			return err
		}
	}
	return x.store.Open(snapshot.Internal())
}

// findFamilies begins to find the families of all fingerprinted fields.
func (x *Index) findFamilies(snapshot *scorch.IndexSnapshot) error {
	m, err := x.mapping()
	if err != nil {
		return err
	}
	fields, err := snapshot.Fields()
	if err != nil {
		return err
	}
	x.columns.Adopt(snapshot)
	for _, name := range fields {
		field, ok := strings.CutSuffix(strings.TrimPrefix(name, sketchPrefix), sketchSuffix)
		if rule, known, err := neardup.RuleOf(m, field, signature.Rule{}); ok && known && err == nil {
			column.Readers{column.Of(snapshot, field)}.Find(rule)
		}
	}
	return nil
}

// UpdateFields is what bleve.OpenUsing calls with an updated mapping. It returns an error if
// the analyzer of a fingerprinted field has changed: new signatures would match no old one; or if
// it lacks a field that the policy names.
// bleve itself compares the analyzers of properties only, not of fields with other names.
func (x *Index) UpdateFields(info map[string]*index.UpdateFieldInfo, updated []byte) error {
	before, err := x.mapping()
	if err != nil {
		return err
	}
	now, err := parseMapping(updated)
	if err != nil {
		return err
	}
	if field, changed := neardup.Changed(before, now); changed {
		return fmt.Errorf("neardup: updated_mapping: field %q: wanted the analyzer's configuration that the index was made with, got another; package backfill makes a new index", field)
	}
	if err := x.updates(before, now); err != nil {
		return err
	}
	return x.Scorch.UpdateFields(info, updated)
}

// Reader returns a snapshot of the index, or an error that wraps ErrClosed. The snapshot
// carries the signatures that earlier searches have read.
func (x *Index) Reader() (index.IndexReader, error) {
	r, err := x.Engine.Reader()
	if err == nil {
		x.columns.Adopt(r)
	}
	return r, err
}

// Close closes the index. Closing it again does nothing, where scorch panics.
func (x *Index) Close() error { return x.close() }

func init() {
	if err := registry.RegisterIndexType(Name, New); err != nil {
		panic(err)
	}
}
