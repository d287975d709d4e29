package rpc_test

import (
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/cluster/internal/rpc"
	"github.com/neardup/bleve-neardup/plugin/near"
)

// The guard is off unless the request asks for one, and one that cannot be is an error.
func TestNearestGuard(t *testing.T) {
	t.Parallel()
	x := newIndex(t)
	const text = "a text of some words that is posted again and again"
	for _, id := range []string{"a", "b"} {
		if err := x.Index(id, map[string]any{"body": text}); err != nil {
			t.Fatal(err)
		}
	}
	sig, err := plugin.Sign(x, "", text)
	if err != nil {
		t.Fatal(err)
	}
	for share, wrong := range map[float64]string{0: "", .5: "", 1: "", 2: "max_share: wanted 0 to 1, got 2"} {
		r := rpc.NearestRequest{Queries: []near.SimilarQuery{{ID: "a", Signature: sig, MaxShare: share}}}
		switch a, err := r.Answer(t.Context(), x); {
		case wrong != "":
			if err == nil || !strings.Contains(err.Error(), wrong) {
				t.Errorf("max_share %v: got %+v, %v, want %q", share, a, err, wrong)
			}
		case err != nil || len(a.Hits) != 1 || a.Hits[0] == nil || a.Hits[0].ID != "b":
			t.Errorf("max_share %v: got %+v, %v, want b", share, a, err)
		}
	}
}
