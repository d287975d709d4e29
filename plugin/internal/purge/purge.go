// Package purge erases deleted documents from the files of a scorch index. Three things keep them
// there: a segment keeps a document until it is merged, the file of a merged segment stays as long
// as a snapshot names it, and a single segment is never merged. A Purger deals with all three.
package purge

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/blevesearch/bleve/v2/document"
	"github.com/blevesearch/bleve/v2/index/scorch"
	"github.com/blevesearch/bleve/v2/index/scorch/mergeplan"
	index "github.com/blevesearch/bleve_index_api"
	segment "github.com/blevesearch/scorch_segment_api/v2"

	"github.com/neardup/bleve-neardup/internal/column"
)

// Purger purges one index. It is safe for concurrent use.
type Purger struct {
	index *scorch.Scorch
	write func(*index.Batch) error
	merge func(context.Context, *mergeplan.MergePlanOptions) error
	path  string     // of the segments, "" in memory
	keep  int        // how many snapshots scorch keeps
	one   sync.Mutex // one Run at a time

	// Readers is locked while Run has its document in the index. Code that opens a reader for
	// others locks it for reading.
	Readers sync.RWMutex
}

// New returns the Purger of an index with these settings. write and merge are what the index type
// does instead of scorch's Batch and ForceMerge.
func New(x *scorch.Scorch, config map[string]any, write func(*index.Batch) error, merge func(context.Context, *mergeplan.MergePlanOptions) error) *Purger {
	p := &Purger{index: x, write: write, merge: merge, keep: scorch.NumSnapshotsToKeep}
	p.path, _ = config["path"].(string)
	switch n := config["numSnapshotsToKeep"].(type) {
	case int:
		p.keep = n
	case float64:
		p.keep = int(n)
	}
	return p
}

// ID is the id of a document without fields that Run writes and deletes, so that scorch has a
// second segment to merge. It is not UTF-8, so that no caller's id is equal to it by accident.
const ID = "\xff\x00neardup/purge"

// tries is how often a purge rewrites segments before it gives up.
const tries = 20

// Run rewrites all segments that have deleted documents. When it returns, no file of the
// index has anything left of documents that were deleted or replaced before the call, except for the
// free pages of root.bolt: plugin.Scrub erases these. Others can read and write meanwhile.
// Run waits for searches and copies that began earlier, until ctx ends.
func (p *Purger) Run(ctx context.Context) error {
	switch {
	case ctx == nil:
		return errors.New("neardup: wanted a context, got nil")
	case p.path == "":
		return errors.New("neardup: purge: wanted an index on disk, got one in memory")
	case p.keep > 1:
		return fmt.Errorf("neardup: purge: wanted an index that keeps one snapshot (numSnapshotsToKeep), got %d: the older ones have what was deleted", p.keep)
	}
	p.one.Lock()
	defer p.one.Unlock()
	if err := p.End(); err != nil {
		return err
	}
	if err := p.settle(ctx); err != nil {
		return err
	}
	// A merge that began before the documents were deleted still writes them. scorch merges one
	// after the other, so that merge is done when this one is.
	if err := p.rewrite(ctx, nil); err != nil {
		return err
	}
	if err := p.settle(ctx); err != nil {
		return err
	}
	stale, alone, err := p.stale()
	if err != nil {
		return err
	}
	for try := 0; len(stale) > 0; try++ {
		if try == tries {
			return fmt.Errorf("neardup: purge: wanted scorch to rewrite %d segments, got the same ones after %d merges", len(stale), try)
		}
		if alone {
			err = p.mergeAlone(ctx)
		} else {
			err = p.rewrite(ctx, nil)
		}
		if err != nil {
			return err
		}
		var now []uint64
		if now, alone, err = p.stale(); err != nil {
			return err
		}
		stale = slices.DeleteFunc(stale, func(id uint64) bool { return !slices.Contains(now, id) })
	}
	return p.dropFiles(ctx)
}

// settle waits until everything written before is on disk, in segments that are files.
func (p *Purger) settle(ctx context.Context) error {
	done := make(chan error, 1)
	b := index.NewBatch()
	b.DeleteInternal([]byte(ID)) // which is not there
	b.SetPersistedCallback(func(err error) { done <- err })
	if err := p.write(b); err != nil {
		return err
	}
	for {
		select {
		case err := <-done:
			return err
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond): // scorch does not call back if it is closed
			snapshot, err := column.Snapshot(p.index)
			if err != nil {
				return err
			}
			snapshot.Close()
		}
	}
}

// rewrite makes scorch rewrite each segment that has deleted documents. scorch does so only if
// there are at least two segments. planned is called when scorch has chosen the segments.
func (p *Purger) rewrite(ctx context.Context, planned func()) error {
	o := mergeplan.SingleSegmentMergePlanOptions
	o.SegmentsPerMergeTask = 1
	o.CalcBudget = func(int64, int64, *mergeplan.MergePlanOptions) int {
		if planned != nil {
			planned()
		}
		return 0
	}
	if err := p.merge(ctx, &o); err != nil {
		return fmt.Errorf("neardup: purge: %w", err)
	}
	return ctx.Err() // of which ForceMerge says nothing
}

// stale returns the ids of the segments that have deleted documents, and whether there is only
// one segment. It counts files only: scorch merges no segment in memory, and such a segment is
// younger than the purge.
func (p *Purger) stale() (ids []uint64, alone bool, err error) {
	snapshot, err := column.Snapshot(p.index)
	if err != nil {
		return nil, false, err
	}
	defer snapshot.Close()
	files := 0
	for _, s := range snapshot.Segments() {
		if _, ok := s.Segment().(segment.PersistedSegment); !ok {
			continue
		}
		files++
		if s.LiveSize() < s.FullSize() {
			ids = append(ids, s.Id())
		}
	}
	return ids, files == 1, nil
}

// longest is how long readers wait, at most, for scorch to plan a merge.
const longest = time.Second

// mergeAlone makes scorch rewrite its only segment. A document makes another segment, for as
// long as scorch takes to plan the merge. Readers wait until that document is gone.
func (p *Purger) mergeAlone(ctx context.Context) error {
	merged := make(chan error, 1)
	err := p.withAnother(ctx, merged)
	return errors.Join(err, <-merged)
}

// withAnother writes a document, begins a merge, and deletes the document when the merge is
// planned. The merge sends its error to merged at its end.
func (p *Purger) withAnother(ctx context.Context, merged chan<- error) (err error) {
	p.Readers.Lock()
	defer p.Readers.Unlock()
	b := index.NewBatch()
	b.Update(document.NewDocument(ID))
	if err = p.write(b); err == nil {
		err = p.settle(ctx)
	}
	defer func() { err = errors.Join(err, p.End()) }()
	if err != nil {
		merged <- nil
		return err
	}
	planned := make(chan struct{}, 1)
	go func() {
		merged <- p.rewrite(ctx, func() {
			select {
			case planned <- struct{}{}:
			default: // planned again after a merge that failed
			}
		})
		close(planned)
	}()
	wait := time.NewTimer(longest)
	defer wait.Stop()
	select {
	case <-planned:
	case <-wait.C: // Run tries again
	}
	return nil
}

// End deletes the document of a purge. A process that was killed might have left it.
func (p *Purger) End() error {
	snapshot, err := column.Snapshot(p.index)
	if err != nil {
		return err
	}
	id, err := snapshot.InternalID(ID)
	if cerr := snapshot.Close(); err == nil {
		err = cerr
	}
	if err != nil || id == nil {
		return err
	}
	b := index.NewBatch()
	b.Delete(ID)
	return p.write(b)
}

// dropFiles waits until scorch has removed the snapshots and files that nothing needed when
// dropFiles was called.
func (p *Purger) dropFiles(ctx context.Context) error {
	epochs, err := p.index.RootBoltSnapshotEpochs()
	if err != nil {
		return err
	}
	files, err := p.unused(nil)
	if err != nil {
		return err
	}
	for wait := time.Millisecond; ; wait = min(2*wait, 500*time.Millisecond) {
		// scorch removes files after it has persisted something, and a snapshot only when a
		// newer one exists.
		if err := p.settle(ctx); err != nil {
			return err
		}
		now, err := p.index.RootBoltSnapshotEpochs()
		if err != nil {
			return err
		}
		epochs = slices.DeleteFunc(epochs, func(e uint64) bool { return !slices.Contains(now, e) })
		if files, err = p.unused(files); err != nil {
			return err
		}
		if len(epochs)+len(files) == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("neardup: purge: %d snapshots and %d files of deleted documents are in use by searches or copies: %w", len(epochs), len(files), ctx.Err())
		case <-time.After(wait):
		}
	}
}

// unused returns which of some segment files, or of all if some is nil, exist and do not
// belong to the newest snapshot.
func (p *Purger) unused(some []string) ([]string, error) {
	entries, err := os.ReadDir(p.path)
	if err != nil {
		return nil, err
	}
	snapshot, err := column.Snapshot(p.index)
	if err != nil {
		return nil, err
	}
	defer snapshot.Close()
	used := map[string]bool{}
	for _, s := range snapshot.Segments() {
		used[fmt.Sprintf("%012x.zap", s.Id())] = true
	}
	unused := []string{}
	for _, e := range entries {
		if name := e.Name(); filepath.Ext(name) == ".zap" && !used[name] && (some == nil || slices.Contains(some, name)) {
			unused = append(unused, name)
		}
	}
	return unused, nil
}
