// Package batch finds the groups of near-duplicates of a corpus that one machine does not
// hold, as a pipeline of Apache Beam: on Flink, Spark, Dataflow, or Beam's own runners. One
// machine does 30 million documents and more without it, with
// plugin/batch/ondisk, which finds the same.
//
//	docs ─► Sign ─► Edges ─► Settle, until Unsettled counts none ─► Groups
//
// # How
//
//   - Sign makes a signature of each document.
//   - Edges makes rows (key, id) for each of the rule's keys, groups them, and drops those
//     that are alone, which most are. Only the rows that are left get their signature,
//     by a join, and are grouped once more; what shares a key then is compared where it
//     came together (table.Connect). Out come edges, each of which meets the rule, of
//     which there are no more than rows: all pairs of a bucket would be the square of it.
//   - Settle brings the connected components nearer to stars, by large-star and
//     small-star (Kiveris, Lattanzi, Mirrokni, Rastogi, Vassilvitskii, "Connected
//     components in MapReduce and beyond", SoCC 2014). A pipeline of Beam has no
//     loops: Run starts one after another until a round changed nothing.
//   - Groups brings the documents of each component together, finds its leaders, and
//     says what to keep.
//
// # What is promised
//
// The groups are those that comparing all pairs gives: the keys miss none (sketch.Sketch.Band),
// and nothing is capped. What shares one key, and the documents of one component, must
// fit in the memory of one worker, at about 600 bytes each. Equal texts count once, and
// blocks of the simhash have 25 bits or more, so that they bring few together.
// A rule with a Hamming distance above 3 has no such blocks and is an error.
package batch

import (
	"cmp"
	"context"
	"fmt"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
	"github.com/neardup/bleve-neardup/plugin/batch/ondisk"
)

// Document is an element of the collection that Sign takes.
type Document struct {
	ID   string
	Text string
}

// Signed is an element of the collection that Sign returns.
type Signed struct {
	ID        string
	Signature []byte // as signature.Signature.MarshalBinary has it
}

// Edge is a pair of documents that meet the rule, or are of one component. A is the greater
// id of the two.
type Edge struct{ A, B string }

// Options say what near-duplicates are. They are sent to the workers.
type Options struct {
	// Params are what signatures are made with, signature.DefaultParams if zero.
	Params signature.Params

	// Rule says which documents are near-duplicates. Its Hamming distance is
	// at most 3, unless Mode is one that has no use for keys of the simhash.
	Rule signature.Rule

	// By is ondisk.Leaders if empty.
	By ondisk.By
}

// Validate returns an error that names the first option out of range.
func (o Options) Validate() error {
	o = o.filled()
	if err := cmp.Or(o.Params.Validate(), o.Rule.Validate()); err != nil {
		return fmt.Errorf("batch: %w", err)
	}
	if o.By != ondisk.Leaders && o.By != ondisk.Components {
		return fmt.Errorf("batch: by: wanted %q or %q, got %q", ondisk.Leaders, ondisk.Components, o.By)
	}
	if o.Params.Tokens != "" {
		return fmt.Errorf("batch: params: tokens: wanted those of package token, %q, got %q", "", o.Params.Tokens)
	}
	if o.Rule.Bits() > 3 && (o.Rule.Mode == "" || o.Rule.Mode == signature.Either || o.Rule.Mode == signature.SimhashOnly) {
		return fmt.Errorf("batch: rule: hamming: wanted -1 to 3, got %d", o.Rule.Hamming)
	}
	return nil
}

// filled has the defaults.
func (o Options) filled() Options {
	o.Params, o.By = cmp.Or(o.Params, signature.DefaultParams()), cmp.Or(o.By, ondisk.Leaders)
	return o
}

// tables are those of the simhash, of 25 bits.
const tables = 10

func (o Options) keys() *table.Keys {
	plan := table.Plan{}
	if o.Rule.Bits() <= 3 {
		plan.Tables = tables
	}
	return plan.Keys(o.Rule, o.Params.Lanes)
}

func init() {
	beam.RegisterDoFn(&signFn{})
	register.Emitter1[Signed]()
	register.Emitter1[Edge]()
	register.Emitter1[string]()
	register.Emitter2[int64, string]()
	register.Emitter2[string, int64]()
	register.Emitter2[int64, Signed]()
	register.Emitter2[string, Signed]()
	register.Emitter2[string, string]()
	register.Iter1[string]()
	register.Iter1[int64]()
	register.Iter1[Signed]()
}

// Sign makes the signature of each Document.
func Sign(s beam.Scope, o Options, docs beam.PCollection) beam.PCollection {
	return beam.ParDo(s.Scope("Sign"), &signFn{Params: o.filled().Params}, docs)
}

type signFn struct {
	Params signature.Params
	maker  *signature.Maker
}

// Setup makes what a worker signs with.
func (f *signFn) Setup() (err error) {
	f.maker, err = signature.NewMaker(f.Params)
	return err
}

// signedCount counts documents.
const signedCount = "signed"

var signed = beam.NewCounter("neardup", signedCount)

// ProcessElement signs a document.
func (f *signFn) ProcessElement(ctx context.Context, d Document, emit func(Signed)) error {
	signed.Inc(ctx, 1)
	if d.ID == "" {
		return fmt.Errorf("batch: document: id: wanted a string, got an empty one before %.40q", d.Text)
	}
	f.maker.Text([]byte(d.Text))
	sig := f.maker.Signature()
	data, err := sig.MarshalBinary()
	emit(Signed{d.ID, data})
	return err
}

// decode reads the signature of a document.
func (s Signed) decode() (sig signature.Signature, err error) {
	if err = sig.UnmarshalBinary(s.Signature); err != nil {
		err = fmt.Errorf("batch: document %q: %w", s.ID, err)
	}
	return sig, err
}
