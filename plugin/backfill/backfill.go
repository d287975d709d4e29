// Package backfill fills an index of type neardup with the documents of an index that
// exists: one of bleve's type scorch, or one whose signatures were made with other parameters.
// It is the only way to change them. The parameters are part of every signature, and
// signatures of different ones match nothing; bleve.OpenUsing, given a mapping with
// another configuration of the analyzer, returns an error that says so.
//
//	to, err := plugin.New("new.bleve", mapping) // or plugin.Open, to go on
//	...
//	status, err := backfill.Run(ctx, from, to, backfill.Options{})
//
// # How
//
// Run takes documents in the order of their ids from a snapshot of the source, rebuilds each from its stored fields, or
// asks Options.Source for it, and writes it through the mapping of the target. How far that has come is written in the
// same batch. Stopped at any moment, by kill -9 as well, the next Run goes on after the last document that is in the
// target, and none is lost or written twice. After the last one Run does nothing.
//
// What is rebuilt is mapped by the source's mapping once more, and compared with what is stored: a document that
// differs stops the run, with nothing wrong written. These stop it before anything is written: a field of the source
// that is indexed, but that no stored field of the same type holds the values of; nested documents and synonyms, which
// bleve does not store; a source of the older type upside_down; and a target that signs only properties that no
// document has. What a Go value lost when it was first indexed is lost: the type that a method of its gave, and parts
// that the mapping ignored.
//
// # What is promised while others write
//
// Run sees the source as it was when it began. What is written to it or deleted there later must be written to the
// target after the Run: a Run that goes on after a stop sees only changes of ids after the last one. What others write
// to the target is overwritten by the source's document of the same id.
//
// The target's admission policy judges these documents like any other write; set none to copy all. The time of a
// document is its Policy.Time if it has one, and else the time of the backfill. Tags are judged anew. Documents are
// written in the order of their ids, in which a policy with Group names their groups.
//
// # What else is carried
//
// If the source is of type neardup, documents keep the names of their groups, and the target gets what it does not have itself: templates (package plugin/templates)
// before the first document, so that all are signed with them; and policy and marks after the last one, so that what
// the source has accepted is not judged again. Run returns an error, and writes nothing, if these do not fit the
// target, because it signs with other parameters. Options.Fresh leaves them out. Other internal values are not copied.
//
// To sign the documents of an index again, such as after templates.Use, is to backfill it into a
// new one with the same mapping.
//
// # The way back
//
// Leave copies the other way: an index of type neardup becomes a plain one, which a
// program without this library opens. PlainMapping makes its mapping.
//
//	m, err := backfill.PlainMapping(from.Mapping())
//	...
//	to, err := bleve.New("plain.bleve", m)
//	...
//	status, err := backfill.Leave(ctx, from, to, backfill.Options{})
package backfill

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/index/scorch"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/internal/indexes"
	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/indextype"
	"github.com/neardup/bleve-neardup/plugin/internal/gate"
)

// Options of Run. The zero Options rebuild from stored fields.
type Options struct {
	// Batch is how many documents are written at once, 500 if 0.
	Batch int

	// Source returns a document of the source index by its id, to be mapped as
	// bleve.Index.Index does. A nil document is left out. If Source is nil, documents
	// are rebuilt from their stored fields.
	Source func(ctx context.Context, id string) (data any, err error)

	// Lossy goes on without what cannot be rebuilt, and does not compare what was.
	Lossy bool

	// Fresh leaves out what a source of type neardup keeps besides documents: templates, policy
	// and marks. Run needs it if the target signs with other parameters, to which templates and marks
	// mean nothing.
	Fresh bool

	// Progress is called after each batch, from Run's goroutine.
	Progress func(Status)

	// Rejected is called for each document that the target's admission policy rejects,
	// when its batch is written. After a kill between the two it is not called.
	Rejected func(admission.Verdict)

	// Name distinguishes backfills of one target from several sources; the source's name if
	// empty. A source that is opened under another path when
	// the backfill goes on needs it.
	Name string
}

// Status is how far a backfill has come.
type Status struct {
	// Done is how many documents of the source were dealt with by all runs so far, and
	// LeftOut for how many of these Source had none.
	Done    uint64 `json:"done"`
	LeftOut uint64 `json:"left_out"`

	// Last is the id of the last of them.
	Last string `json:"last"`

	// Complete is true if there are no more.
	Complete bool `json:"complete"`

	// Total is how many documents the source has.
	Total uint64 `json:"total"`

	// Rejected is how many documents the policy rejected in this run.
	Rejected uint64 `json:"-"`
}

// kept is a Status as the target keeps it: an id might not be UTF-8.
type kept struct {
	Status
	Last []byte `json:"last"`
}

// keyPrefix begins the keys, among the target's internal values, of Status.
const keyPrefix = "neardup/backfill/"

// maxKey is how long a key of bbolt's may be, in which bleve keeps internal values.
const maxKey = 32 << 10

// run is one call of Run.
type run struct {
	Options
	to      bleve.Index
	key     []byte
	leaving bool               // the target is a plain index
	left    map[string]*fields // which it has
	source  index.IndexReader
	rebuild *rebuilder           // nil if there is a Source
	carry   *carry               // nil if there is nothing to carry
	names   index.DocValueReader // of groups; nil if the source has none to keep
	groups  map[string]string    // of batch, by ids

	status Status // as it is in the target
	next   Status // when batch is written as well
	batch  *bleve.Batch
}

// Run writes the documents of from to to, which must be of type neardup, or goes on
// with what was begun before; from is not changed. It returns how far it came, with ctx's
// error if that ended it, and an error that names the document if one cannot be rebuilt
// or written. Only one Run of a name may be at work on a target.
func Run(ctx context.Context, from, to bleve.Index, o Options) (Status, error) {
	r := &run{Options: o, to: to}
	return r.run(ctx, from)
}

// run is Run or Leave.
func (r *run) run(ctx context.Context, from bleve.Index) (Status, error) {
	if err := indexes.Check(ctx, from); err != nil {
		return Status{}, fmt.Errorf("backfill: source: %w", err)
	}
	if err := indexes.Present(r.to); err != nil {
		return Status{}, fmt.Errorf("backfill: target: %w", err)
	}
	r.key = []byte(keyPrefix + cmp.Or(r.Name, from.Name()))
	if len(r.key) > maxKey {
		return Status{}, fmt.Errorf("backfill: name: wanted at most %d bytes, got %d", maxKey-len(keyPrefix), len(r.key)-len(keyPrefix))
	}
	if r.Batch < 0 {
		return Status{}, fmt.Errorf("backfill: batch: wanted a number above 0, or 0, got %d", r.Batch)
	}
	r.Batch = cmp.Or(r.Batch, 500)
	source, err := from.Advanced()
	if err != nil {
		return Status{}, fmt.Errorf("backfill: source: %w", err)
	}
	target, err := r.to.Advanced()
	if err != nil {
		return Status{}, fmt.Errorf("backfill: target: %w", err)
	}
	if _, ok := target.(*indextype.Index); r.leaving {
		r.left, err = leavable(source, target, r.to.Mapping())
	} else if !ok {
		err = fmt.Errorf("backfill: target: wanted an index of type %q, got a %T", indextype.Name, target)
	}
	if err != nil {
		return Status{}, err
	}
	if source == target {
		return Status{}, errors.New("backfill: wanted two indexes, got one")
	}
	if err := r.load(); err != nil || r.status.Complete {
		return r.status, err
	}
	if own, ok := source.(*indextype.Index); ok && !r.leaving && !r.Fresh {
		r.groups = map[string]string{}
		if r.carry, err = newCarry(own, target.(*indextype.Index), r.to.Mapping()); err != nil {
			return r.status, err
		}
	}
	if r.source, err = indexes.Reader(from); err != nil {
		return r.status, fmt.Errorf("backfill: source: %w", err)
	}
	defer r.source.Close()
	if err := r.prepare(from); err != nil {
		return r.status, err
	}
	return r.status, r.copy(ctx)
}

// load reads the status that was written last.
func (r *run) load() error {
	value, err := r.to.GetInternal(r.key)
	if err != nil || value == nil {
		return err
	}
	var k kept
	if err := json.Unmarshal(value, &k); err != nil {
		return fmt.Errorf("backfill: %q: %w", r.key, err)
	}
	r.status = k.Status
	r.status.Last = string(k.Last)
	return nil
}

func (r *run) prepare(from bleve.Index) (err error) {
	if _, ok := r.source.(*scorch.IndexSnapshot); !ok {
		return fmt.Errorf("backfill: source: wanted an index of type %q or %q, got a %T: write its documents into an index that plugin.New makes", scorch.Name, indextype.Name, r.source)
	}
	if r.status.Total, err = r.source.DocCount(); err != nil {
		return err
	}
	if r.Source == nil {
		r.rebuild, err = newRebuilder(from.Mapping(), r.source, r.Lossy, r.left)
	}
	if err == nil && r.groups != nil {
		r.names, err = r.source.DocValueReader([]string{admission.GroupField})
	}
	if err == nil && r.rebuild != nil && r.status.Total > 0 {
		err = r.rebuild.signs(r.to.Mapping())
	}
	return err
}

// copy copies the documents after the last one.
func (r *run) copy(ctx context.Context) error {
	// Numbers of documents are in no order, terms are. Some are of documents that are not there any more.
	terms, err := r.source.FieldDictRange("_id", []byte(r.status.Last), nil)
	if err != nil {
		return err
	}
	defer terms.Close()
	r.batch, r.next = r.to.NewBatch(), r.status
	if r.carry != nil && r.status.Done == 0 {
		if err := r.carry.before(ctx); err != nil {
			return err
		}
	}
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		entry, err := terms.Next()
		if err != nil {
			return err
		}
		if entry == nil {
			return r.end(ctx)
		}
		id := entry.Term
		if id <= r.status.Last {
			continue
		}
		if err := r.add(ctx, id); err != nil {
			return fmt.Errorf("backfill: document %q: %w", id, err)
		}
		if r.next.Done-r.status.Done == uint64(r.Batch) {
			if err := r.write(ctx); err != nil {
				return err
			}
		}
	}
}

// end writes the last batch.
func (r *run) end(ctx context.Context) error {
	if r.carry != nil {
		if r.batch.Size() > 0 {
			if err := r.write(ctx); err != nil {
				return err
			}
		}
		if err := r.carry.after(ctx); err != nil {
			return err
		}
	}
	r.next.Complete = true
	return r.write(ctx)
}

// add adds a document to the batch, if it is one: the ids of deleted and of nested
// documents are among those of a snapshot.
func (r *run) add(ctx context.Context, id string) error {
	internal, err := r.source.InternalID(id)
	if err != nil || internal == nil {
		return err
	}
	if n, ok := r.source.(index.NestedReader); ok {
		chain, err := n.Ancestors(internal, nil)
		if err != nil || len(chain) > 1 {
			return err
		}
	}
	var data any
	if r.Source != nil {
		data, err = r.Source(ctx, id)
	} else {
		data, err = r.rebuild.document(id)
	}
	if err != nil {
		return err
	}
	switch {
	case data != nil && r.names != nil:
		err = r.names.VisitDocValues(internal, func(_ string, name []byte) { r.groups[id] = string(name) })
		err = cmp.Or(err, r.batch.Index(id, data))
	case data != nil:
		err = r.batch.Index(id, data)
	case r.Source == nil: // deleted
		return nil
	default:
		r.next.LeftOut++
	}
	r.next.Done++
	r.next.Last = id
	return err
}

// write writes the batch, with how far the copy has then come.
func (r *run) write(ctx context.Context) error {
	value, err := json.Marshal(kept{r.next, []byte(r.next.Last)})
	if err != nil {
		return err
	}
	r.batch.SetInternal(r.key, value)
	var verdicts []admission.Verdict
	if r.leaving {
		if r.next.Complete {
			r.finish()
		}
		err = r.to.Batch(r.batch)
	} else {
		call := &gate.Call{Context: ctx, Groups: r.groups}
		verdicts, err = call.Send(r.batch.SetInternal, func() error { return r.to.Batch(r.batch) })
	}
	if err != nil {
		return fmt.Errorf("backfill: documents up to %q: %w", r.next.Last, err)
	}
	r.batch.Reset()
	clear(r.groups)
	for _, v := range verdicts {
		if v.Action == admission.Reject {
			if r.next.Rejected++; r.Rejected != nil {
				r.Rejected(v)
			}
		}
	}
	if r.status = r.next; r.Progress != nil {
		r.Progress(r.status)
	}
	return nil
}
