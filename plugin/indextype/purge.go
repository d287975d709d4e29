package indextype

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
)

// Deleted documents stay in scorch's files: a segment keeps a document until it is merged, the
// file of a merged segment stays as long as a snapshot names it, and a single segment is never
// merged. Purge deals with all three.

// disk is what Purge must know of an index's place on disk.
type disk struct {
	path string // of the segments, "" in memory
	keep int    // how many snapshots scorch keeps
	// readers wait while a purge has its document in the index.
	readers sync.RWMutex
	purge   sync.Mutex // one at a time
}

func (d *disk) configure(config map[string]any) {
	d.path, _ = config["path"].(string)
	d.keep = scorch.NumSnapshotsToKeep
	switch n := config["numSnapshotsToKeep"].(type) {
	case int:
		d.keep = n
	case float64:
		d.keep = int(n)
	}
}

// purgeID is the id of a document without fields that a purge writes and deletes. It is not
// UTF-8, so that no caller's id is equal to it by accident.
const purgeID = "\xff\x00neardup/purge"

// purgeTries is how often a purge rewrites segments before it gives up.
const purgeTries = 20

// Purge rewrites all segments that have deleted documents. When it returns, no file of the
// index has anything of documents that were deleted or replaced before the call, except for the
// free pages of root.bolt: plugin.Scrub erases these. Others can read and write meanwhile.
// Purge waits for searches and copies that began earlier, until ctx ends.
func (x *Index) Purge(ctx context.Context) error {
	switch {
	case x.readOnly:
		return errReadOnly
	case x.disk.path == "":
		return errors.New("neardup: purge: wanted an index on disk, got one in memory")
	case x.disk.keep > 1:
		return fmt.Errorf("neardup: purge: wanted an index that keeps one snapshot (numSnapshotsToKeep), got %d: the older ones have what was deleted", x.disk.keep)
	}
	x.disk.purge.Lock()
	defer x.disk.purge.Unlock()
	if err := x.endPurge(); err != nil {
		return err
	}
	if err := x.settle(ctx); err != nil {
		return err
	}
	// A merge that began before the documents were deleted still writes them. scorch merges one
	// after the other, so that merge is done when this one is.
	if err := x.merge(ctx, nil); err != nil {
		return err
	}
	if err := x.settle(ctx); err != nil {
		return err
	}
	stale, alone, err := x.stale()
	if err != nil {
		return err
	}
	for try := 0; len(stale) > 0; try++ {
		if try == purgeTries {
			return fmt.Errorf("neardup: purge: wanted scorch to rewrite %d segments, got the same ones after %d merges", len(stale), try)
		}
		if alone {
			err = x.mergeAlone(ctx)
		} else {
			err = x.merge(ctx, nil)
		}
		if err != nil {
			return err
		}
		var now []uint64
		if now, alone, err = x.stale(); err != nil {
			return err
		}
		stale = slices.DeleteFunc(stale, func(id uint64) bool { return !slices.Contains(now, id) })
	}
	return x.dropFiles(ctx)
}

// settle waits until everything written before is on disk, in segments that are files.
func (x *Index) settle(ctx context.Context) error {
	done := make(chan error, 1)
	b := index.NewBatch()
	b.DeleteInternal([]byte(purgeID)) // which is not there
	b.SetPersistedCallback(func(err error) { done <- err })
	if err := x.write(b); err != nil {
		return err
	}
	for {
		select {
		case err := <-done:
			return err
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond): // scorch does not call back if it is closed
			snapshot, err := x.snapshot()
			if err != nil {
				return err
			}
			snapshot.Close()
		}
	}
}

// merge makes scorch rewrite each segment that has deleted documents. scorch does so only if
// there are at least two segments. planned is called when scorch has chosen the segments.
func (x *Index) merge(ctx context.Context, planned func()) error {
	o := mergeplan.SingleSegmentMergePlanOptions
	o.SegmentsPerMergeTask = 1
	o.CalcBudget = func(int64, int64, *mergeplan.MergePlanOptions) int {
		if planned != nil {
			planned()
		}
		return 0
	}
	if err := x.ForceMerge(ctx, &o); err != nil {
		return fmt.Errorf("neardup: purge: %w", err)
	}
	return ctx.Err() // of which ForceMerge says nothing
}

// stale returns the ids of the segments that have deleted documents, and whether there is only
// one segment. It counts files only: scorch merges no segment in memory, and such a segment is
// younger than the purge.
func (x *Index) stale() (ids []uint64, alone bool, err error) {
	snapshot, err := x.snapshot()
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

// snapshot returns a snapshot of the index, or an error if the index is closed.
func (x *Index) snapshot() (*scorch.IndexSnapshot, error) {
	reader, err := x.Scorch.Reader()
	if err != nil {
		return nil, err
	}
	snapshot, ok := reader.(*scorch.IndexSnapshot)
	if !ok || snapshot == nil {
		return nil, errors.New("neardup: wanted an index that is open, got a closed one")
	}
	return snapshot, nil
}

// purgeWait is how long readers wait, at most, for scorch to plan a merge.
const purgeWait = time.Second

// mergeAlone makes scorch rewrite its only segment. A document makes another segment, for as
// long as scorch takes to plan the merge. Readers wait until that document is gone.
func (x *Index) mergeAlone(ctx context.Context) error {
	merged := make(chan error, 1)
	err := x.withAnother(ctx, merged)
	return errors.Join(err, <-merged)
}

// withAnother writes a document, begins a merge, and deletes the document when the merge is
// planned. The merge sends its error to merged at its end.
func (x *Index) withAnother(ctx context.Context, merged chan<- error) (err error) {
	x.disk.readers.Lock()
	defer x.disk.readers.Unlock()
	b := index.NewBatch()
	b.Update(document.NewDocument(purgeID))
	if err = x.write(b); err == nil {
		err = x.settle(ctx)
	}
	defer func() { err = errors.Join(err, x.endPurge()) }()
	if err != nil {
		merged <- nil
		return err
	}
	planned := make(chan struct{}, 1)
	go func() {
		merged <- x.merge(ctx, func() {
			select {
			case planned <- struct{}{}:
			default: // planned again after a merge that failed
			}
		})
		close(planned)
	}()
	wait := time.NewTimer(purgeWait)
	defer wait.Stop()
	select {
	case <-planned:
	case <-wait.C: // Purge tries again
	}
	return nil
}

// endPurge deletes the document of a purge. A process that was killed might have left it.
func (x *Index) endPurge() error {
	snapshot, err := x.snapshot()
	if err != nil {
		return err
	}
	id, err := snapshot.InternalID(purgeID)
	if cerr := snapshot.Close(); err == nil {
		err = cerr
	}
	if err != nil || id == nil {
		return err
	}
	b := index.NewBatch()
	b.Delete(purgeID)
	return x.write(b)
}

// dropFiles waits until scorch has removed the snapshots and files that nothing needed when
// dropFiles was called.
func (x *Index) dropFiles(ctx context.Context) error {
	epochs, err := x.RootBoltSnapshotEpochs()
	if err != nil {
		return err
	}
	files, err := x.unused(nil)
	if err != nil {
		return err
	}
	for wait := time.Millisecond; ; wait = min(2*wait, 500*time.Millisecond) {
		// scorch removes files after it has persisted something, and a snapshot only when a
		// newer one exists.
		if err := x.settle(ctx); err != nil {
			return err
		}
		now, err := x.RootBoltSnapshotEpochs()
		if err != nil {
			return err
		}
		epochs = slices.DeleteFunc(epochs, func(e uint64) bool { return !slices.Contains(now, e) })
		if files, err = x.unused(files); err != nil {
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
func (x *Index) unused(some []string) ([]string, error) {
	entries, err := os.ReadDir(x.disk.path)
	if err != nil {
		return nil, err
	}
	snapshot, err := x.snapshot()
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
