// Package cluster finds all groups of near-duplicates among more signatures than memory
// holds, on one machine, and the documents to keep of each.
//
//	job, err := cluster.Open(dir, cluster.Options{})
//	for d := range documents.From(job.Len()) { // after a stop it goes on where it was
//		err = job.Add(d.ID, &d.Signature)
//	}
//	result, err := job.Run(ctx)
//	for group, err := range job.Groups() { ... }
//	for id, err := range job.Keep() { ... }
//
// # How
//
// As Broder, Glassman, Manasse and Zweig did with 30 million documents ("Syntactic
// clustering of the Web", 1997): divide, sort, merge, and read the disk in order.
//
//   - Signatures are written to a file, one after the other.
//   - Each gives a row (key, document) for each of its keys: the exact hash, 11 bands
//     of lanes and 4 blocks of the simhash, by the default rule. Of two that meet the
//     rule one key is the same, always (package band). As many rows as memory holds are
//     sorted and written as a run, for each kind of key.
//   - For one kind after another the runs are merged. What shares a key stands side by
//     side then. Rows that are alone, or joined already, are passed over; of what is
//     left the signatures are read, in the order of the file, and those that meet the
//     rule are joined (union-find). For the simhash no signature is read: a row has it
//     whole.
//   - The documents of each component are brought together by one more sort, and its
//     leaders found.
//
// # Large buckets
//
// A template may give millions of documents a key in common. Comparing all of them would
// be exact and never end; capping them would end and miss pairs. Here:
//
//   - Documents that are joined already are not compared with each other, equal ones
//     go on as one, and in a family most pairs are told apart at a glance
//     (table.Sets). A family costs time in proportion to its size.
//   - Simhashes that share a block are sorted by what is left of their bits, again and
//     again, until few are left to be compared.
//   - What does not fit in memory is written to a file, and each part of it held against
//     each other part.
//
// So what is promised is exact, whatever the keys are: the components are those that
// comparing all pairs gives. What is not promised is time: documents that share bands
// by the million and are not near each other are compared pair by pair.
//
// # Memory
//
// 4¼ bytes a document and 16 MiB are needed; what Options.Memory has beyond makes runs
// longer, and reads fewer. The documents of one component must fit in, at about 700
// bytes each. What the garbage collector has not collected yet comes on top: see
// debug.SetMemoryLimit.
//
// A million signatures, a quarter of them in families of 2 to 61 and 10,000 near-copies of
// one text, take 4 s of processor time with 1 GiB allowed, of which 511 MB were resident, and
// 5 s with 20 MiB, where 90 MB were, and 51 with a limit of 44 for the collector (go test
// -run xxx -bench Run -benchtime 1x ./analysis/signature/cluster -cluster.size 1000000
// -cluster.memory 21800000).
//
// # Other engines
//
// [Job.WriteKeys] writes the rows as text and [Job.JoinPairs] takes pairs, so that
// anything that can join may do that part.
package cluster

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"os"

	"github.com/neardup/bleve-neardup/analysis/signature"
)

// DefaultMemory is the memory that a Job uses, in bytes, unless told otherwise: 1 GiB.
const DefaultMemory = 1 << 30

// By says how near-duplicates make groups.
type By string

// The ways. Their JSON names are their values.
const (
	Leaders    By = "leaders"    // every member is within the rule of its head: the default
	Components By = "components" // every member is within the rule of some other
)

// Options are those of a Job. Params, Rule and By must be what they were when a directory
// is opened again; Memory and Progress may be others.
type Options struct {
	// Params are what the signatures were made with, signature.DefaultParams if zero.
	// Those of other parameters match none of these.
	Params signature.Params

	// Rule tells near-duplicates, signature.DefaultRule if nil.
	Rule *signature.Rule

	// By is Leaders if empty.
	By By

	// Memory is how many bytes are used, DefaultMemory if 0. The files of the system's
	// cache are not counted.
	Memory int64

	// Progress, if not nil, is told how much of Run is done, some hundred times.
	Progress func(done, total int)
}

// Job is the work in one directory. One process at a time may have it open, and
// one goroutine use it.
type Job struct {
	dir   string
	o     Options
	m     manifest
	store *store
	idEnd int64 // of the ids added
	added uint64
	fault func() error // of tests: fails at a step
	small int64        // of tests: the memory for rows and signatures
}

// Open opens a job in a directory, which is made if need be, or one that was stopped
// there. The directory takes about 230 bytes a document, the ids, and 190 bytes more
// during Run. Close is to be called at the end.
func Open(dir string, o Options) (*Job, error) {
	o.By, o.Params, o.Memory = cmp.Or(o.By, Leaders), cmp.Or(o.Params, signature.DefaultParams()), cmp.Or(o.Memory, DefaultMemory)
	rule := signature.DefaultRule()
	if o.Rule != nil {
		rule = *o.Rule
	}
	rule.Mode = cmp.Or(rule.Mode, signature.Either)
	if err := cmp.Or(rule.Validate(), o.Params.Validate()); err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	if o.By != Leaders && o.By != Components {
		return nil, fmt.Errorf("cluster: by: wanted %q or %q, got %q", Leaders, Components, o.By)
	}
	if o.Memory < 0 {
		return nil, fmt.Errorf("cluster: memory: wanted bytes, or 0 for %d, got %d", DefaultMemory, o.Memory)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	j := &Job{dir: dir, o: o}
	found, err := j.readManifest()
	if err != nil {
		return nil, err
	}
	fresh := manifest{Version: manifestVersion, Params: o.Params.ID(), Lanes: o.Params.Lanes, Rule: rule, By: o.By}
	switch {
	case !found:
		j.m = fresh
	case j.m.Params != fresh.Params:
		return nil, fmt.Errorf("cluster: params: wanted those of %s, %08x, got %08x", dir, j.m.Params, fresh.Params)
	case j.m.Rule != rule:
		return nil, fmt.Errorf("cluster: rule: wanted that of %s, %+v, got %+v", dir, j.m.Rule, rule)
	case j.m.By != o.By:
		return nil, fmt.Errorf("cluster: by: wanted that of %s, %q, got %q", dir, j.m.By, o.By)
	}
	if j.store, err = openStore(j); err != nil {
		return nil, err
	}
	j.added, j.idEnd = j.m.Documents, j.m.IDBytes
	return j, nil
}

// Close closes the files. What was added since the last Commit is lost unless Run was
// called.
func (j *Job) Close() error { return j.store.close() }

// Len is the number of documents that were added. After Open it tells which document of
// the source is to be added next.
func (j *Job) Len() int { return int(j.added) }

// Full reports whether Run was called: no document can be added any more.
func (j *Job) Full() bool { return j.m.Full }

// perCommit is how many documents are added until they are brought to the disk.
const perCommit = 1 << 16

// Add adds a document. Its number is that of those before it; ids are not looked at, and
// one that comes twice is two documents. All signatures must have the same parameters.
func (j *Job) Add(id string, s *signature.Signature) error {
	if err := j.step(); err != nil {
		return err
	}
	if err := j.fits(id, s); err != nil {
		return err
	}
	j.idEnd += int64(len(id))
	if err := j.store.add(id, s, j.idEnd); err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	if j.added++; j.added-j.m.Documents >= perCommit {
		return j.Commit()
	}
	return nil
}

// fits returns an error if s cannot be added.
func (j *Job) fits(id string, s *signature.Signature) error {
	switch {
	case j.m.Full:
		return fmt.Errorf("cluster: document %q: wanted none after Run, got one more", id)
	case j.added == math.MaxUint32:
		return fmt.Errorf("cluster: document %q: wanted at most %d documents, got one more", id, j.added)
	case s.Tokens == 0 && s.Shingles == 0:
		return nil // matches nothing, whatever its parameters
	case s.Params != j.store.params:
		return fmt.Errorf("cluster: document %q: params: wanted a signature of those of the job, %08x, got %08x", id, j.store.params, s.Params)
	case s.Shingles > 0 && s.Lanes != j.store.lanes || s.Shingles == 0 && s.Lanes != 0:
		return fmt.Errorf("cluster: document %q: lanes: wanted %d, or 0 without shingles, got %d for %d shingles", id, j.store.lanes, s.Lanes, s.Shingles)
	}
	return nil
}

// Commit brings what was added to the disk: after a crash, Len is what it is now. Add
// does so every 65,536 documents.
func (j *Job) Commit() error {
	s := j.store
	if err := errors.Join(s.flush(), j.sync(s.signatures), j.sync(s.ids), j.sync(s.ends)); err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	j.m.Documents, j.m.IDBytes = j.added, j.idEnd
	return j.commit()
}

// step is where tests stop a job.
func (j *Job) step() error {
	if j.fault != nil {
		return j.fault()
	}
	return nil
}
