package engine_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/document"
	"github.com/blevesearch/bleve/v2/index/scorch"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/plugin/internal/engine"
)

func open(t *testing.T, config map[string]any) *engine.Engine {
	t.Helper()
	queue := index.NewAnalysisQueue(2)
	t.Cleanup(func() { queue.Close() })
	e, err := engine.New(scorch.Name, config, queue)
	if err == nil {
		err = e.Open()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

func batch(id string) *index.Batch {
	b := index.NewBatch()
	b.Update(document.NewDocument(id))
	return b
}

// Writes that nobody keeps apart from Close, as bleve's Index does, end: with the write, or with the error. So does a purge.
func TestClosing(t *testing.T) {
	t.Parallel()
	for round := range 6 {
		path := t.TempDir()
		if round%2 == 0 {
			path = ""
		}
		e := open(t, map[string]any{"path": path})
		var begun, done sync.WaitGroup
		for n := range 4 {
			begun.Add(1)
			done.Go(func() {
				err := e.Batch(batch(fmt.Sprint(n)))
				for begun.Done(); err == nil; {
					if err = e.Batch(batch(fmt.Sprint(n))); n == 0 && path != "" && err == nil {
						err = e.Purge(t.Context())
					}
				}
				if !errors.Is(err, engine.ErrClosed) {
					t.Errorf("got error %v", err)
				}
			})
		}
		begun.Wait()
		time.Sleep(time.Duration(round) * time.Millisecond)
		if err := errors.Join(e.Close(), e.Close()); err != nil {
			t.Error(err)
		}
		done.Wait()
	}
}

// A segment in memory takes little more than what it has, also if its document is shorter than the one before.
func TestRoomOfSegments(t *testing.T) {
	t.Parallel()
	e := open(t, map[string]any{"path": ""})
	for n := range 100 {
		d := document.NewDocument(fmt.Sprint(n))
		d.AddField(document.NewTextField("text", nil, bytes.Repeat([]byte{'a' + byte(n%26)}, 300+n*37%700)))
		b := index.NewBatch()
		b.Update(d)
		if err := e.Batch(b); err != nil {
			t.Fatal(err)
		}
	}
	r, err := e.Reader()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	segments := r.(*scorch.IndexSnapshot).Segments()
	has, room := 0, 0
	for _, s := range segments {
		data := reflect.ValueOf(s.Segment()).Elem().FieldByName("mem")
		has, room = has+data.Len(), room+data.Cap()
	}
	if len(segments) != 100 || has < 100*300 || room > 4*has {
		t.Errorf("%d segments have %d bytes, in %d", len(segments), has, room)
	}
}

// What cannot be done is an error, where scorch panics or waits for ever.
func TestErrors(t *testing.T) {
	t.Parallel()
	ctx, path := context.Background(), t.TempDir()
	calls := func(e *engine.Engine) map[string]error {
		r, reader := e.Reader()
		if r != nil {
			r.Close()
		}
		_, ids := e.FileWriterIDsInUse()
		return map[string]error{
			"Batch": e.Batch(batch("a")), "Persist": engine.Persist(ctx, e, batch("a")), "Reader": reader, "Writable": e.Writable(),
			"ForceMerge": e.ForceMerge(ctx, nil), "Purge": e.Purge(ctx), "ids": ids, "drop": e.DropFileWriterIDs(map[string]struct{}{"none": {}}),
		}
	}
	e := open(t, map[string]any{"path": path})
	if err := errors.Join(engine.Persist(ctx, e, batch("a")), e.Close()); err != nil {
		t.Fatal(err)
	}
	for name, err := range calls(e) {
		if !errors.Is(err, engine.ErrClosed) || !errors.Is(err, bleve.ErrorIndexClosed) {
			t.Errorf("%s, closed: got error %v", name, err)
		}
	}
	for name, err := range calls(open(t, map[string]any{"path": path, "read_only": true})) {
		if reads := name == "Reader" || name == "ids"; reads != (err == nil) || !reads && !errors.Is(err, engine.ErrReadOnly) {
			t.Errorf("%s, read_only: got error %v", name, err)
		}
	}
	memory := open(t, map[string]any{"path": ""})
	_, ids := memory.FileWriterIDsInUse()
	for name, err := range map[string]error{"ForceMerge": memory.ForceMerge(ctx, nil), "Purge": memory.Purge(ctx), "ids": ids, "drop": memory.DropFileWriterIDs(nil)} {
		if err == nil || !strings.Contains(err.Error(), "got one in memory") {
			t.Errorf("%s, in memory: got error %v", name, err)
		}
	}
	var none context.Context
	for name, err := range map[string]error{"ForceMerge": memory.ForceMerge(none, nil), "Purge": memory.Purge(none)} {
		if err == nil || !strings.Contains(err.Error(), "wanted a context") {
			t.Errorf("%s without a context: got error %v", name, err)
		}
	}
	done, cancel := context.WithCancel(ctx)
	cancel()
	if err := engine.Persist(done, memory, batch("a")); !errors.Is(err, context.Canceled) { // nothing is ever on disk
		t.Errorf("got error %v", err)
	}
}
