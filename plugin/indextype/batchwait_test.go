package indextype_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/internal/gate"
)

// A batch waits for what any of its documents waits for, wherever that document stands in it.
func TestBatchWaitsForAny(t *testing.T) {
	t.Parallel()
	x := newIndex(t)
	put(t, x, "there", map[string]any{"body": words(3)})
	j := newJudging(t, x, admission.Policy{Near: admission.Tag})
	added := j.judge([]*gate.Document{ahead("added", words(1))})
	defer added.Close()
	changed := j.judge([]*gate.Document{ahead("there", words(4))})
	defer changed.Close()
	for name, text := range map[string]string{"a copy of what is added": words(1), "a copy of what is changed": words(3)} {
		for _, ids := range [][]string{{"a", "copy", "z"}, {"copy", "a", "z"}, {"a", "z", "copy"}} {
			var docs []*gate.Document
			for i, id := range ids {
				d := ahead(id, words(10+i))
				if id == "copy" {
					d = ahead(id, text)
				}
				docs = append(docs, d)
			}
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
			if a, err := j.gate.Judge(ctx, j.policy, docs, nil, false); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s, %v: it does not wait: %v, %v", name, ids, a, err)
			}
			cancel()
		}
	}
}
