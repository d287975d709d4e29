package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/blevesearch/bleve/v2/document"
	"github.com/blevesearch/bleve/v2/index/scorch/mergeplan"
	index "github.com/blevesearch/bleve_index_api"
	segment "github.com/blevesearch/scorch_segment_api/v2"

	"github.com/neardup/bleve-neardup/internal/column"
)

// Three things keep deleted documents in the files of a scorch index: a segment keeps a document until it is merged, the
// file of a merged segment stays as long as a snapshot names it, and a single segment is never merged. Purge deals with all three.

// PurgeID is the id of a document without fields that Purge writes and deletes, so that scorch has a second segment to
// merge. Nobody else may write one. It is not UTF-8, so that no caller's id is equal to it by accident.
const PurgeID = "\xff\x00neardup/purge"

// tries is how often a purge rewrites segments before it gives up.
const tries = 20

// Purge is indextype.Index.Purge, without the marks.
func (e *Engine) Purge(ctx context.Context) error {
	if ctx == nil {
		return errors.New("neardup: wanted a context, got nil")
	}
	if err := e.Writable(); err != nil {
		return err
	}
	switch {
	case e.path == "":
		return errors.New("neardup: purge: wanted an index on disk, got one in memory")
	case e.keep > 1:
		return fmt.Errorf("neardup: purge: wanted an index that keeps one snapshot (numSnapshotsToKeep), got %d: the older ones have what was deleted", e.keep)
	}
	e.purging.Lock()
	defer e.purging.Unlock()
	if err := e.endPurge(); err != nil {
		return err
	}
	if err := e.settle(ctx); err != nil {
		return err
	}
	// A merge that began before the documents were deleted still writes them. scorch merges one
	// after the other, so that merge is done when this one is.
	if err := e.rewrite(ctx, nil); err != nil {
		return err
	}
	if err := e.settle(ctx); err != nil {
		return err
	}
	stale, alone, err := e.stale()
	if err != nil {
		return err
	}
	for try := 0; len(stale) > 0; try++ {
		if try == tries {
			return fmt.Errorf("neardup: purge: wanted scorch to rewrite %d segments, got the same ones after %d merges", len(stale), try)
		}
		if alone {
			merged := make(chan error, 1)
			err = e.withAnother(ctx, merged)
			err = errors.Join(err, <-merged)
		} else {
			err = e.rewrite(ctx, nil)
		}
		if err != nil {
			return err
		}
		var now []uint64
		if now, alone, err = e.stale(); err != nil {
			return err
		}
		stale = slices.DeleteFunc(stale, func(id uint64) bool { return !slices.Contains(now, id) })
	}
	return e.dropFiles(ctx)
}

// settle waits until everything written before is on disk, in segments that are files.
func (e *Engine) settle(ctx context.Context) error {
	b := index.NewBatch()
	b.DeleteInternal([]byte(PurgeID)) // which is not there
	return Persist(ctx, e, b)
}

// rewrite makes scorch rewrite each segment that has deleted documents. scorch does so only if
// there are at least two segments. planned is called when scorch has chosen the segments.
func (e *Engine) rewrite(ctx context.Context, planned func()) error {
	o := mergeplan.SingleSegmentMergePlanOptions
	o.SegmentsPerMergeTask = 1
	o.CalcBudget = func(int64, int64, *mergeplan.MergePlanOptions) int {
		if planned != nil {
			planned()
		}
		return 0
	}
	if err := e.ForceMerge(ctx, &o); err != nil {
		return fmt.Errorf("neardup: purge: %w", err)
	}
	return nil
}

// stale returns the ids of the segments that have deleted documents, and whether there is only
// one segment. It counts files only: scorch merges no segment in memory, and such a segment is
// younger than the purge.
func (e *Engine) stale() (ids []uint64, alone bool, err error) {
	snapshot, err := column.Snapshot(e.Scorch)
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

// withAnother makes scorch rewrite its only segment. It writes a document, which makes another segment, begins a merge,
// and deletes the document when the merge is planned. Readers wait until then. The merge sends its error to merged at
// its end.
func (e *Engine) withAnother(ctx context.Context, merged chan<- error) (err error) {
	e.readers.Lock()
	defer e.readers.Unlock()
	b := index.NewBatch()
	b.Update(document.NewDocument(PurgeID))
	if err = e.Batch(b); err == nil {
		err = e.settle(ctx)
	}
	defer func() { err = errors.Join(err, e.endPurge()) }()
	if err != nil {
		merged <- nil
		return err
	}
	planned := make(chan struct{}, 1) // has one, or is closed, when readers need not wait any more
	go func() {
		merged <- e.rewrite(ctx, func() {
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
	case <-wait.C: // Purge tries again
	}
	return nil
}

// endPurge deletes the document of a purge. A process that was killed might have left it.
func (e *Engine) endPurge() error {
	snapshot, err := column.Snapshot(e.Scorch)
	if err != nil {
		return err
	}
	id, err := snapshot.InternalID(PurgeID)
	if cerr := snapshot.Close(); err == nil {
		err = cerr
	}
	if err != nil || id == nil {
		return err
	}
	b := index.NewBatch()
	b.Delete(PurgeID)
	return e.Batch(b)
}

// dropFiles waits until scorch has removed the snapshots and files that nothing needed when
// dropFiles was called.
func (e *Engine) dropFiles(ctx context.Context) error {
	epochs, err := e.RootBoltSnapshotEpochs()
	if err != nil {
		return err
	}
	files, err := e.unused(nil)
	if err != nil {
		return err
	}
	for wait := time.Millisecond; ; wait = min(2*wait, 500*time.Millisecond) {
		// scorch removes files after it has persisted something, and a snapshot only when a
		// newer one exists.
		if err := e.settle(ctx); err != nil {
			return err
		}
		now, err := e.RootBoltSnapshotEpochs()
		if err != nil {
			return err
		}
		epochs = slices.DeleteFunc(epochs, func(epoch uint64) bool { return !slices.Contains(now, epoch) })
		if files, err = e.unused(files); err != nil {
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
// belong to the newest snapshot. It never returns nil, as its caller gives back what it got.
func (e *Engine) unused(some []string) ([]string, error) {
	entries, err := os.ReadDir(e.path)
	if err != nil {
		return nil, err
	}
	snapshot, err := column.Snapshot(e.Scorch)
	if err != nil {
		return nil, err
	}
	defer snapshot.Close()
	used := map[string]bool{}
	for _, s := range snapshot.Segments() {
		used[fmt.Sprintf("%012x.zap", s.Id())] = true
	}
	unused := []string{}
	for _, entry := range entries {
		if name := entry.Name(); filepath.Ext(name) == ".zap" && !used[name] && (some == nil || slices.Contains(some, name)) {
			unused = append(unused, name)
		}
	}
	return unused, nil
}
