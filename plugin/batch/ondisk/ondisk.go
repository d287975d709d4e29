// Package ondisk finds all groups of near-duplicates among more signatures than memory
// holds, on one machine, and the documents to keep. There are only a few types: a [Job]
// works in one directory, with [Options]; it yields each [Group].
//
//	job, err := ondisk.Open(dir, ondisk.Options{})
//	for d := range documents.From(job.Len()) { // after a stop it goes on after the last commit
//		err = job.Add(d.ID, &d.Signature)
//	}
//	result, err := job.Run(ctx)
//	for group, err := range job.Groups() { ... }
//	for id, err := range job.Keep() { ... }
//
// # How
//
// The method is that of Broder, Glassman, Manasse and Zweig for 30 million documents
// ("Syntactic clustering of the Web", 1997): divide, sort, merge, and read the disk in
// order.
//
//   - Signatures are written to a file, one after another.
//   - Each signature gives a row (key, document) for each of its keys: by the default rule
//     the exact hash, 11 bands of lanes and 4 blocks of the simhash. Two signatures that
//     meet the rule always have a key in common (sketch.Sketch.Band). For each kind of key, as
//     many rows as memory holds are sorted and written as a run.
//   - The runs are merged, one kind of key after another. Rows with the same key then stand
//     side by side. Rows that are alone, or joined already, are skipped. The signatures of
//     the other rows are read, in the order of the file, and pairs that meet the rule are
//     joined (union-find). For the simhash no signature is read: a row has the whole
//     simhash.
//   - One more sort brings the documents of each component together, and its leaders are
//     found.
//
// # Large buckets
//
// A template can give a million documents a key in common. Comparing all of them would be
// exact and never end; capping them would end and miss pairs. Instead:
//
//   - Documents that are joined already are not compared with each other, equal documents
//     continue as one, and in a family most pairs are rejected quickly (table.Sets). A
//     family costs time in proportion to its size.
//   - Simhashes that share a block are sorted by their other bits, again and again, until
//     few are left to be compared.
//
// So exactness is promised, whatever the keys are: the components are those that comparing
// all pairs gives. Time is not promised: documents that share bands by the million and are
// not near each other are compared pair by pair.
//
// # Memory
//
// 4¼ bytes a document and 16 MiB are needed. If Options.Memory is more, runs are longer and there are fewer reads. The
// documents of one component, and those that share one key, must fit in memory, at about 700 bytes each: if they do
// not, Run ends with an error that says so. Garbage that the collector has not collected yet comes on top: see
// debug.SetMemoryLimit.
//
// A million signatures, a quarter of them in families of 2 to 61 and 10,000 near-copies of
// one text, take 5 s of processor time with 1 GiB allowed; 517 MB were resident.
// With 20 MiB they take 6 s and 84 MB were resident, or 50 MB with a limit of 44 for the
// collector (go -C plugin/batch test -run xxx -bench Run -benchtime 1x ./ondisk
// -ondisk.size 1000000 -ondisk.memory 21800000).
package ondisk

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"os"

	"github.com/neardup/bleve-neardup/analysis/signature"
)

// DefaultMemory is the memory that a Job uses by default, in bytes: 1 GiB.
const DefaultMemory = 1 << 30

// By says how near-duplicates make groups.
type By string

// The values of By, which are also their JSON names.
const (
	Leaders    By = "leaders"    // every member meets the rule with its head: the default
	Components By = "components" // every member meets the rule with some other member
)

// Options are the options of a Job. When a directory is opened again, Params, Rule and By
// must be the same as before; Memory and Progress can differ.
type Options struct {
	// Params are the parameters of the signatures, signature.DefaultParams if zero.
	// Signatures with other parameters match none of these.
	Params signature.Params

	// Rule says what near-duplicates are.
	Rule signature.Rule

	// By is Leaders by default.
	By By

	// Memory is the memory to use in bytes, DefaultMemory if 0. The file cache of the
	// system is not counted.
	Memory int64

	// Progress, if not nil, is called some hundred times with the part of Run that is done.
	Progress func(done, total int)
}

// Job is the work in one directory. Only one process at a time may have it open, and only
// one goroutine may use it.
type Job struct {
	dir   string
	o     Options
	m     manifest
	store *store
	idEnd int64 // end of the ids added
	added uint64
	fault func() error // for tests: fails at a step
	small int          // for tests: rows of a run, and rows that are processed together
}

// Open opens a job in a directory: a new job, for which it makes the directory if need be,
// or a job that was stopped. The directory takes about 136 bytes a document plus the ids,
// and 190 bytes more during Run. The caller must call Close at the end.
func Open(dir string, o Options) (*Job, error) {
	o.By, o.Params, o.Memory = cmp.Or(o.By, Leaders), cmp.Or(o.Params, signature.DefaultParams()), cmp.Or(o.Memory, DefaultMemory)
	if err := cmp.Or(o.Rule.Validate(), o.Params.Validate()); err != nil {
		return nil, fmt.Errorf("ondisk: %w", err)
	}
	if lanes := max(o.Rule.Lanes, o.Rule.LongLanes); lanes > o.Params.Lanes {
		return nil, fmt.Errorf("ondisk: rule: lanes: wanted 0 to %d, the lanes of the sketch, got %d", o.Params.Lanes, lanes)
	}
	if o.By != Leaders && o.By != Components {
		return nil, fmt.Errorf("ondisk: by: wanted %q or %q, got %q", Leaders, Components, o.By)
	}
	if o.Memory < 0 {
		return nil, fmt.Errorf("ondisk: memory: wanted bytes, or 0 for %d, got %d", DefaultMemory, o.Memory)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("ondisk: %w", err)
	}
	rule := o.Rule.Normal()
	j := &Job{dir: dir, o: o}
	found, err := j.readManifest()
	if err != nil {
		return nil, err
	}
	fresh := manifest{Version: manifestVersion, Params: o.Params.ID(), Rule: rule, By: o.By}
	switch {
	case !found:
		j.m = fresh
	case j.m.Params != fresh.Params:
		return nil, fmt.Errorf("ondisk: params: wanted %08x, those of %s, got %08x", j.m.Params, dir, fresh.Params)
	case j.m.Rule != rule:
		return nil, fmt.Errorf("ondisk: rule: wanted %+v, the rule of %s, got %+v", j.m.Rule, dir, rule)
	case j.m.By != o.By:
		return nil, fmt.Errorf("ondisk: by: wanted %q, as in %s, got %q", j.m.By, dir, o.By)
	}
	if j.store, err = openStore(j); err != nil {
		return nil, err
	}
	j.added, j.idEnd = j.m.Documents, j.m.IDBytes
	return j, nil
}

// Close closes the files. Documents added since the last Commit or Run are lost.
func (j *Job) Close() error { return j.store.close() }

// Len returns the number of documents added. After Open it is the number of the next
// document to add.
func (j *Job) Len() int { return int(j.added) }

// perCommit is the number of documents after which Add calls Commit.
const perCommit = 1 << 16

// Add adds a document, whose number is the number of documents before it. It does not look
// at ids: an id that is added twice is two documents. All signatures must have the same
// parameters. After Run, more can be added, and Run finds the groups of all.
func (j *Job) Add(id string, s *signature.Signature) error {
	if err := j.step(); err != nil {
		return err
	}
	if err := j.fits(id, s); err != nil {
		return err
	}
	j.idEnd += int64(len(id))
	if err := j.store.add(id, s, j.idEnd); err != nil {
		return fmt.Errorf("ondisk: %w", err)
	}
	if j.added++; j.added-j.m.Documents >= perCommit {
		return j.Commit()
	}
	return nil
}

// fits returns an error if s cannot be added.
func (j *Job) fits(id string, s *signature.Signature) error {
	switch {
	case j.added == math.MaxUint32:
		return fmt.Errorf("ondisk: document %q: cannot be added to %d documents, the most that a job can have", id, j.added)
	case s.Tokens == 0 && s.Shingles == 0:
		return nil // matches nothing, whatever its parameters
	case s.Params != j.store.params:
		return fmt.Errorf("ondisk: document %q: params: wanted %08x, those of the job, got %08x", id, j.store.params, s.Params)
	case s.Shingles > 0 && s.Lanes != j.store.lanes || s.Shingles == 0 && s.Lanes != 0:
		return fmt.Errorf("ondisk: document %q: lanes: wanted %d, or 0 without shingles, got %d for %d shingles", id, j.store.lanes, s.Lanes, s.Shingles)
	}
	return nil
}

// Commit writes all documents added so far to disk: after a crash, Len is what it is now.
// Add calls it every 65,536 documents.
func (j *Job) Commit() error {
	s := j.store
	if j.m.Documents == j.added {
		return nil
	}
	if err := errors.Join(s.flush(), j.sync(s.signatures), j.sync(s.ids), j.sync(s.ends)); err != nil {
		return fmt.Errorf("ondisk: %w", err)
	}
	j.m.Documents, j.m.IDBytes, j.m.Grouped = j.added, j.idEnd, false
	return j.commit()
}

// step is the point at which tests stop a job.
func (j *Job) step() error {
	if j.fault != nil {
		return j.fault()
	}
	return nil
}
