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
//
// Applications that have a policy call package plugin.
//
// They are stored fields like others to bleve: its searches with the fields "*", its
// Document and its Fields show them, 320 bytes a document. An index type cannot prevent
// that: bleve asks for a document without telling which of its fields are wanted, and
// package collapse asks remote indexes for these by their names. Results of package
// collapse leave them out unless they are named.
//
// bleve remembers the index type, so that bleve.Open brings it back; a program
// that lacks the import gets bleve's "unknown index type" and cannot write
// documents without a signature. Everything else of the index, its files
// included, is scorch's.
//
// # How a document gets its signature
//
// Every write reaches [Index.Batch]: bleve.Index.Index, Batch, and an alias of
// one index alike. There a document with fingerprinted text is replaced by a copy
// whose fingerprinted fields make the signature when scorch analyses them, in its
// parallel workers, and whose two stored fields hand it over when scorch builds
// the segment. The caller's document is not touched, so a batch may be sent again.
//
// The signature's terms, if the analyzer emits any, stay out of _all and of its
// length: no score changes.
//
// The names of the stored fields begin with "~" so that they sort behind the
// document's own: scorch compresses the stored values of a document as one block
// in the order of their names, and random bytes in front of a text were measured
// to cost 50 bytes a document more than behind it.
package indextype

import (
	"errors"
	"sync"
	"sync/atomic"

	"github.com/blevesearch/bleve/v2/index/scorch"
	"github.com/blevesearch/bleve/v2/registry"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/internal/column"
	"github.com/neardup/bleve-neardup/plugin/internal/gate"
)

// Name is the name of the index type.
const Name = "neardup"

// Index is the index: scorch, but for what is written to it.
type Index struct {
	*scorch.Scorch
	counts   counts
	columns  *column.Store
	gate     *gate.Gate
	policies policies
	readOnly bool
	disk     disk
	inMemory bool
	closed   atomic.Bool
	close    func() error
}

// New is the constructor that bleve calls; config is scorch's, and may have a policy
// under PolicyKey.
func New(storeName string, config map[string]any, queue *index.AnalysisQueue) (index.Index, error) {
	policy, err := policyOf(config)
	if err != nil {
		return nil, err
	}
	inner, err := scorch.NewScorch(storeName, config, queue)
	if err != nil {
		return nil, err
	}
	x := &Index{Scorch: inner.(*scorch.Scorch), columns: new(column.Store), policies: policies{settings: policy}}
	x.readOnly, _ = config["read_only"].(bool)
	x.disk.configure(config)
	path, _ := config["path"].(string)
	x.inMemory = path == ""
	x.gate = gate.New(x.Reader)
	x.close = sync.OnceValue(func() error {
		x.closed.Store(true)
		x.columns.Close()
		return x.Scorch.Close()
	})
	return x, nil
}

// Open opens the index, with the policy that it keeps. It returns an error, and has closed
// the index, if the policy cannot be read, or is for a field that the mapping does not
// fingerprint: everything would be accepted. So it does, with an error that wraps
// signature.ErrVersion, if the signatures are of another format and the index is not opened
// with read_only: nothing would fold. What a purge that was cut short has left in the
// index is taken out.
func (x *Index) Open() error {
	if err := x.Scorch.Open(); err != nil {
		return err
	}
	var err error
	if !x.readOnly {
		err = x.openFormat()
	}
	if err == nil {
		err = x.openPolicy()
	}
	if err == nil && !x.readOnly {
		err = x.endPurge()
	}
	if err != nil {
		err = errors.Join(err, x.Close())
	}
	return err
}

// Reader returns a snapshot of the index, or an error that wraps ErrClosed. Package
// collapse finds the signatures of its documents in memory, as far as searches met them
// before.
func (x *Index) Reader() (index.IndexReader, error) {
	if x.closed.Load() {
		return nil, ErrClosed
	}
	x.disk.readers.RLock()
	r, err := x.Scorch.Reader()
	x.disk.readers.RUnlock()
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
