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
// Applications that have a policy call package plugin; [Index.Begin] and [Call] are for it.
//
// They are stored fields like others to bleve: its searches with the fields "*", its
// Document and its Fields show them, 320 bytes a document. An index type cannot prevent
// that: bleve asks for a document without telling which of its fields are wanted, and
// package collapse asks indexes elsewhere for these by their names. Results of package
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
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/blevesearch/bleve/v2/document"
	"github.com/blevesearch/bleve/v2/index/scorch"
	"github.com/blevesearch/bleve/v2/registry"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/column"
	"github.com/neardup/bleve-neardup/plugin/admission"
)

// Name is the name of the index type.
const Name = "neardup"

// Index is the index: scorch, but for what is written to it.
type Index struct {
	*scorch.Scorch
	counts    counts
	columns   *column.Store
	gate      *admission.Gate
	policies  policies
	calls     sync.Map // of batches that are being written: string -> *Call
	callsMade atomic.Uint64
	readOnly  bool
	disk      disk
	inMemory  bool
	closed    atomic.Bool
	close     func() error
}

// New is the constructor that bleve calls; config is scorch's, and may have a policy
// under PolicyKey.
func New(storeName string, config map[string]interface{}, queue *index.AnalysisQueue) (index.Index, error) {
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
	x.gate = admission.NewGate(x.Reader)
	x.close = sync.OnceValue(func() error {
		x.closed.Store(true)
		x.columns.Close()
		return x.Scorch.Close()
	})
	return x, nil
}

// Open opens the index, with the policy that it keeps. It returns an error, and has closed
// the index, if the policy cannot be read, or is for a field that the mapping does not
// fingerprint: everything would be accepted. What a purge that was cut short has left in the
// index is taken out.
func (x *Index) Open() error {
	if err := x.Scorch.Open(); err != nil {
		return err
	}
	err := x.openPolicy()
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

// ErrClosed is the error of what is asked of an index after Close. Errors.Is takes it for
// bleve.ErrorIndexClosed, too.
var ErrClosed error = closedError{}

// closedError has bleve's words, by which it is known to be bleve's error: this package
// does not import that of bleve which has it.
type closedError struct{}

func (closedError) Error() string          { return "index is closed" }
func (e closedError) Is(target error) bool { return target.Error() == e.Error() }

// Close closes the index. Closing it again does nothing, where scorch panics.
func (x *Index) Close() error { return x.close() }

// Update writes one document.
func (x *Index) Update(doc index.Document) error {
	if doc == nil {
		return errors.New("neardup: wanted a document, got nil")
	}
	b := index.NewBatch()
	b.Update(doc)
	return x.Batch(b)
}

// Batch writes and deletes documents, all or none of them but for those that the
// admission policy rejects. It does not change batch. It returns an error, and writes
// nothing, if a document has a field with one of the reserved names: else whoever
// sends documents could forge signatures. If documents were rejected, it returns an
// *admission.Refused when all others are written.
func (x *Index) Batch(batch *index.Batch) error {
	if batch == nil {
		return errors.New("neardup: wanted a batch, got nil")
	}
	own := index.NewBatch()
	own.SetPersistedCallback(batch.PersistedCallback())
	var call *Call
	call, own.InternalOps = x.called(batch.InternalOps)
	rules, err := x.ruling(own.InternalOps)
	if err != nil {
		return err
	}
	for id, doc := range batch.IndexOps {
		if doc == nil {
			own.IndexOps[id] = nil
			continue
		}
		d, err := x.sign(doc)
		if err != nil {
			return err
		}
		own.IndexOps[id] = d
	}
	dry := call != nil && call.Dry
	defer x.gate.Enter(rules && !dry)()
	policy := x.gate.Policy()
	if policy == nil && call != nil {
		policy = new(admission.Policy)
	}
	var verdicts []admission.Verdict
	if policy != nil {
		var done func()
		if verdicts, done, err = x.admit(policy, own, dry); err != nil {
			return err
		}
		defer done()
	}
	if !dry {
		if err := x.write(own); err != nil {
			return err
		}
	}
	if call != nil {
		call.Verdicts = verdicts
		return nil
	}
	return refused(verdicts)
}

// refused is the error of a batch of which some documents were rejected.
func refused(verdicts []admission.Verdict) error {
	var r admission.Refused
	for _, v := range verdicts {
		if v.Action == admission.Reject {
			r.Verdicts = append(r.Verdicts, v)
		}
	}
	if r.Verdicts == nil {
		return nil
	}
	return &r
}

// sign returns a copy of doc that makes its signature, if it has fingerprinted text. What
// is not bleve's own kind of document, and has none, is returned as it is.
func (x *Index) sign(doc index.Document) (index.Document, error) {
	values, reserved := 0, ""
	visitAll(doc, func(f index.Field) {
		if reservedName(f.Name()) {
			reserved = f.Name()
		}
		if fingerprinted(f) != nil {
			values++
		}
	})
	if reserved != "" {
		return nil, fmt.Errorf("neardup: document %q: field %q: wanted a name that is not reserved (%s, %s, %s, %s, %s, %s)",
			doc.ID(), reserved, signature.SketchField("*"), signature.SimhashField("*"), signature.TimeField("*"), signature.RepetitionField("*"), admission.TagField, admission.OfField)
	}
	d, ok := doc.(*document.Document)
	if !ok && values == 0 {
		return doc, nil
	}
	if !ok {
		return nil, fmt.Errorf("neardup: document %q: wanted a *document.Document, got a %T", doc.ID(), doc)
	}
	return newSigned(d, &x.counts), nil
}

// reservedName reports whether fields of that name are this package's to write.
func reservedName(name string) bool {
	return signature.Reserved(name) || name == admission.TagField || name == admission.OfField
}

// visitAll visits the fields of doc and of the documents nested in it.
func visitAll(doc index.Document, visit index.FieldVisitor) {
	doc.VisitFields(visit)
	if nested, ok := doc.(index.NestedDocument); ok {
		nested.VisitNestedDocuments(func(d index.Document) { visitAll(d, visit) })
	}
}

func init() {
	if err := registry.RegisterIndexType(Name, New); err != nil {
		panic(err)
	}
}
