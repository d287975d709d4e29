// Package marks has the marks of an index in force, and keeps them in an index of their own: a small scorch index in
// the folder of the other one, where each mark is a document with one stored value.
//
// bleve writes all internal values of an index anew with each snapshot: 34 MB for 100,000 marks, for each batch of
// documents. A file of our own would need once more what scorch has: checks of what a crash has torn, file callbacks,
// copies, locks, and erasing. The price is a second file root.bolt, and that marks and documents cannot be written as
// one.
package marks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/blevesearch/bleve/v2/document"
	"github.com/blevesearch/bleve/v2/index/scorch"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/column"
	"github.com/neardup/bleve-neardup/plugin/internal/engine"
)

const (
	// Key is the key, among the internal values of the index, that says that it has marks, and in which form. Where the
	// value is there and Folder is not, marks were lost.
	Key = "neardup/marks"

	// Folder is the folder of marks, in the folder of the index's segments.
	Folder = "marks"

	version = 2

	// usesKey is the key, among the internal values of the marks' own index, of how often marks were used.
	usesKey = "neardup/uses"

	// idPrefix begins the id of a mark's document, and the name follows. Other documents are a purge's.
	idPrefix = "m"

	field = "mark"
)

// Store keeps the marks of one index on disk; those of an index in memory are in Marks alone. It is safe for concurrent use.
type Store struct {
	queue    *index.AnalysisQueue
	config   map[string]any // of the marks' own index
	persist  func(*index.Batch) error
	readOnly bool

	mu        sync.RWMutex
	closed    bool
	announced bool // the index has the value of Key
	wrong     error
	own       *engine.Engine // nil before there are marks
}

// settings are those of the index that count for its marks, too. Marks are always on disk when Write returns. Callbacks
// for events are about documents, and Purge returns an error for an index that keeps several snapshots.
var settings = []string{"read_only", "bolt_timeout", "asyncErrorCallbackName", "scorchMergePlanOptions", "scorchPersisterOptions", "forceSegmentType", "forceSegmentVersion"}

// NewStore returns the Store of an index with these settings of scorch's. persist writes a batch to that index, and
// returns when it is on disk. In memory it is not called.
func NewStore(config map[string]any, queue *index.AnalysisQueue, persist func(*index.Batch) error) *Store {
	s := &Store{queue: queue, persist: persist, config: map[string]any{"path": ""}}
	for _, key := range settings {
		if value, ok := config[key]; ok {
			s.config[key] = value
		}
	}
	s.readOnly, _ = config["read_only"].(bool)
	if path, _ := config["path"].(string); path != "" {
		s.config["path"] = filepath.Join(path, Folder)
	}
	return s
}

func (s *Store) path() string { return s.config["path"].(string) }

// Open opens the marks of an index that has these internal values. It returns an error that wraps signature.ErrVersion
// if they are in another form. With read_only that is no reason not to open the index: then it is Read that returns the error.
func (s *Store) Open(internal map[string][]byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	value, ok := internal[Key]
	if ok && !bytes.Equal(value, []byte{version}) {
		s.wrong = fmt.Errorf("admission: marks: form: wanted %d, got %.1x: %w", version, value, signature.ErrVersion)
	}
	switch {
	case s.wrong != nil && s.readOnly:
		return nil
	case s.wrong != nil:
		return fmt.Errorf("neardup: %w; package plugin/backfill makes a new index of this one, opened with read_only; Options.Fresh leaves the marks behind, and texts can be marked again", s.wrong)
	case !ok:
		return nil
	}
	s.announced = true
	if err := s.check(); err != nil {
		return err
	}
	return s.open()
}

// check returns an error unless the newest snapshot of the marks can be opened. scorch itself goes on with an older
// one, or with none, and what it cannot read is gone as soon as it writes. So this looks before it can.
func (s *Store) check() error {
	wrong := func(err error) error {
		return fmt.Errorf("admission: marks: wanted those of this index in %s, got none that can be read: %w", s.path(), errors.Join(err, signature.ErrMalformed))
	}
	if info, err := os.Stat(filepath.Join(s.path(), "root.bolt")); err != nil || info.Size() == 0 {
		return wrong(err)
	}
	config := maps.Clone(s.config)
	config["read_only"] = true
	own, err := opened(config, s.queue)
	if err != nil {
		return wrong(err)
	}
	defer own.Close()
	epochs, err := own.RootBoltSnapshotEpochs() // the newest first
	if err != nil || len(epochs) == 0 {
		return wrong(err)
	}
	snapshot, err := own.LoadSnapshot(epochs[0])
	if err != nil {
		return wrong(err)
	}
	return snapshot.Close()
}

// opened opens an index, or makes it.
func opened(config map[string]any, queue *index.AnalysisQueue) (*engine.Engine, error) {
	own, err := engine.New(scorch.Name, config, queue)
	if err != nil {
		return nil, err
	}
	return own, own.Open()
}

// open opens the marks' own index, or makes it.
func (s *Store) open() error {
	own, err := opened(s.config, s.queue)
	if err != nil {
		return fmt.Errorf("admission: marks: %s: %w", s.path(), err)
	}
	s.own = own
	return nil
}

// create makes the marks' own index, and has the index say so: in this order, and both are on disk before there is a
// mark. If the index cannot say so on a full disk, the marks' index stays, as it might later. What is there at first is
// of an attempt that did not come so far.
func (s *Store) create() error {
	if s.announced {
		return nil
	}
	if s.own == nil {
		if err := s.make(); err != nil {
			return errors.Join(err, s.drop())
		}
	}
	b := index.NewBatch()
	b.SetInternal([]byte(Key), []byte{version})
	err := s.persist(b)
	s.announced = err == nil
	return err
}

// make makes the marks' own index, with a first snapshot.
func (s *Store) make() error {
	err := os.RemoveAll(s.path())
	if err == nil {
		err = s.open()
	}
	if err == nil {
		err = s.own.Batch(index.NewBatch())
	}
	if err == nil {
		err = errors.Join(syncDir(s.path()), syncDir(filepath.Dir(s.path())))
	}
	return err
}

// drop closes the marks' own index.
func (s *Store) drop() error {
	if s.own == nil {
		return nil
	}
	own := s.own
	s.own = nil
	return own.Close()
}

// syncDir has the names of the files of a folder on disk. Where folders cannot be synced, there is nothing to be done.
func syncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	_ = dir.Sync()
	return dir.Close()
}

// Read calls each for all marks in any order, each with its name and what Write got, and returns what WriteUses got.
// It returns the first error of each.
func (s *Store) Read(each func(name string, value []byte) error) (uses []byte, err error) {
	snapshot, err := s.snapshot()
	if err != nil || snapshot == nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, snapshot.Close()) }()
	for _, segment := range snapshot.Segments() {
		if err := readSegment(segment, each); err != nil {
			return nil, err
		}
	}
	return snapshot.GetInternal([]byte(usesKey))
}

func readSegment(segment *scorch.SegmentSnapshot, each func(name string, value []byte) error) error {
	live := segment.DocNumbersLive().Iterator()
	for live.HasNext() {
		var name string
		var own []byte
		err := column.Visit(segment, uint64(live.Next()), func(f string, value []byte) bool {
			switch f {
			case "_id":
				name = string(value)
			case field:
				own = bytes.Clone(value)
			}
			return true
		})
		if err != nil {
			return fmt.Errorf("admission: marks: %w", err)
		}
		if name, ok := strings.CutPrefix(name, idPrefix); ok {
			if err := each(name, own); err != nil {
				return err
			}
		}
	}
	return nil
}

// snapshot returns what the marks' own index has, nil if there is none.
func (s *Store) snapshot() (*scorch.IndexSnapshot, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	switch {
	case s.closed:
		return nil, engine.ErrClosed
	case s.wrong != nil:
		return nil, s.wrong
	case s.own == nil:
		return nil, nil
	}
	return column.Snapshot(s.own.Scorch)
}

// Write keeps marks by name, all or none, and removes those whose value is nil. It returns when they are on disk.
func (s *Store) Write(marks map[string][]byte) error {
	some := false
	for _, value := range marks {
		some = some || value != nil
	}
	if there, err := s.writable(some); err != nil || !there {
		return err
	}
	return s.batch(batchOf(marks))
}

func batchOf(marks map[string][]byte) *index.Batch {
	b := index.NewBatch()
	for name, value := range marks {
		if value == nil {
			b.Delete(idPrefix + name)
			continue
		}
		d := document.NewDocument(idPrefix + name)
		d.AddField(document.NewTextFieldWithIndexingOptions(field, nil, value, index.StoreField))
		b.Update(d)
	}
	return b
}

// WriteUses keeps how often marks were used, of which Read returns the newest. With read_only it keeps nothing: no
// document was written that used one.
func (s *Store) WriteUses(uses []byte) error {
	if s.readOnly {
		return nil
	}
	if there, err := s.writable(false); err != nil || !there {
		return err
	}
	b := index.NewBatch()
	b.SetInternal([]byte(usesKey), uses)
	return s.batch(b)
}

// writable reports whether the index has marks on disk, or has had some, and returns an error unless they can be
// written. With create there is a place for marks from now on.
func (s *Store) writable(create bool) (there bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return false, engine.ErrClosed
	case s.wrong != nil:
		return false, s.wrong
	case s.readOnly:
		return false, engine.ErrReadOnly
	case s.path() == "":
		return false, nil
	case create:
		err = s.create()
	}
	return s.announced, err
}

// there returns the marks' own index, nil if there is none.
func (s *Store) there() *engine.Engine {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.own
}

// batch writes a batch to the marks' own index.
func (s *Store) batch(b *index.Batch) error {
	if own := s.there(); own != nil {
		return own.Batch(b)
	}
	return engine.ErrClosed
}

// Purge erases what was removed before from the files, as engine.Engine does.
func (s *Store) Purge(ctx context.Context) error {
	if own := s.there(); own != nil {
		return own.Purge(ctx)
	}
	return nil
}

// Close closes the marks' own index. It waits for writes that have begun.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	return s.drop()
}
