// Package indextype is the bleve index type "neardup": scorch that keeps a
// signature of every document.
//
// Import it for its side effect, or import package plugin, which does. An index
// made with
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
//	~F.time        the document's time (package admission)
//	~F.repetition  what it repeats (package analysis/signature/repetition)
//	~F.hidden      how many of its words HTML hides (package analysis/signature/html)
//	~F.passages    what is selected of its passages (package analysis/signature/winnow); not stored
//
// Applications use package plugin, which has functions for policies, purging and more.
//
// To bleve these are stored fields like any others: a search by bleve with the fields "*",
// Document and Fields show them, 320 bytes a document. An index type cannot prevent that:
// bleve asks for a document without saying which fields it wants. Results of package collapse
// leave them out unless a request names them.
//
// bleve remembers the index type, and bleve.Open opens it again. A program without the import
// gets bleve's error "unknown index type", so it cannot write documents without a signature.
// Everything else, the files included, is scorch's.
//
// # How a document gets its signature
//
// Every write reaches [Index.Batch], whether it comes by bleve.Index.Index, Batch, or an
// alias of one index. Batch replaces a document that has fingerprinted text by a copy. The
// copy's fingerprinted fields make the signature when scorch analyses them, in its parallel
// workers. The copy's two stored fields give the signature to scorch when it builds the
// segment. The caller's document does not change, so the caller can send a batch again.
//
// The analyzer's terms, if it emits any, stay out of _all and its length, so no score changes.
//
// The names of the stored fields begin with "~" so that they sort after the document's own
// fields. scorch compresses the stored values of a document as one block, in the order of
// their names. Random bytes before a text cost 50 bytes a document more than after it.
package indextype

import (
	"errors"
	"sync"
	"sync/atomic"

	"github.com/blevesearch/bleve/v2/index/scorch"
	"github.com/blevesearch/bleve/v2/registry"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/internal/column"
	"github.com/neardup/bleve-neardup/internal/templates"
	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/internal/format"
	"github.com/neardup/bleve-neardup/plugin/internal/gate"
	"github.com/neardup/bleve-neardup/plugin/internal/keeping"
	"github.com/neardup/bleve-neardup/plugin/internal/markstore"
	"github.com/neardup/bleve-neardup/plugin/internal/purge"
	"github.com/neardup/bleve-neardup/plugin/internal/signing"
)

// Name is the name of the index type.
const Name = "neardup"

// Index is scorch, but signs and judges the documents that are written to it.
type Index struct {
	*scorch.Scorch
	readOnly, inMemory bool
	closed             atomic.Bool
	close              func() error

	columns  *column.Store // the signatures that searches have read
	counts   signing.Counts
	unsigned atomic.Uint64     // documents that were written without a signature
	leaving  templates.InForce // what signatures are made without

	gate     *gate.Gate // judges what is written, and orders writes
	marks    *markstore.Store
	settings *admission.Policy // the policy of the settings, nil if they have none
	keeper   keeping.Keeper    // of the policy and of templates
	purger   *purge.Purger
}

// New is the constructor that bleve calls. config has scorch's settings, and a policy under
// PolicyKey if there is one.
func New(storeName string, config map[string]any, queue *index.AnalysisQueue) (index.Index, error) {
	policy, err := policyOf(config)
	if err != nil {
		return nil, err
	}
	inner, err := scorch.NewScorch(storeName, config, queue)
	if err != nil {
		return nil, err
	}
	x := &Index{Scorch: inner.(*scorch.Scorch), columns: new(column.Store), settings: policy}
	x.readOnly, _ = config["read_only"].(bool)
	path, _ := config["path"].(string)
	x.inMemory = path == ""
	x.marks = markstore.New(config, queue, x.announceMarks)
	x.gate = gate.New(x.Reader, x.marks)
	x.purger = purge.New(x.Scorch, config, x.write, x.ForceMerge)
	x.keeper = keeping.Keeper{Gate: x.gate, Open: x.Reader, Write: x.write}
	x.close = sync.OnceValue(func() error {
		var err error
		if !x.readOnly {
			err = x.gate.KeepUses(true)
		}
		x.closed.Store(true)
		x.columns.Close()
		return errors.Join(err, x.marks.Close(), x.Scorch.Close())
	})
	return x, nil
}

// Open opens the index with the policy that it keeps, and removes what an interrupted purge
// has left. It returns an error, and the index is closed, in three cases:
//
//   - The policy cannot be read, or is for a field that the mapping does not fingerprint.
//     Everything would be accepted.
//   - The signatures or the marks have another format. Nothing would fold. The error wraps
//     signature.ErrVersion. With the setting read_only the index opens all the same, so that
//     package plugin/backfill can read it.
//   - The folder of the marks is gone, or cannot be read. Spam would be accepted.
func (x *Index) Open() error {
	if err := x.Scorch.Open(); err != nil {
		return err
	}
	var err error
	if !x.readOnly {
		err = format.Check(x.Scorch)
	}
	if err == nil {
		err = x.openKept()
	}
	if err == nil {
		err = x.openMarks()
	}
	if err == nil && !x.readOnly {
		err = x.purger.End()
	}
	if err != nil {
		err = errors.Join(err, x.Close())
	}
	return err
}

// Reader returns a snapshot of the index, or an error that wraps ErrClosed. The snapshot
// carries the signatures that earlier searches have read.
func (x *Index) Reader() (index.IndexReader, error) {
	if x.closed.Load() {
		return nil, ErrClosed
	}
	x.purger.Readers.RLock()
	r, err := x.Scorch.Reader()
	x.purger.Readers.RUnlock()
	if err != nil {
		return nil, err
	}
	if column.Nil(r) {
		return nil, ErrClosed
	}
	x.columns.Adopt(r)
	return r, nil
}

// Close closes the index. Closing it again does nothing, where scorch panics.
func (x *Index) Close() error { return x.close() }

func init() {
	if err := registry.RegisterIndexType(Name, New); err != nil {
		panic(err)
	}
}
