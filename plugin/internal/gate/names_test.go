package gate

import (
	"reflect"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature"
)

// What several indexes say of one document, and then its batch, is put together; of many near-duplicates in a batch the
// first ones are looked at.
func TestNames(t *testing.T) {
	old := &signature.Signature{Tokens: 9}
	n := Names{Near: 2, Of: []Name{{Group: 1}}}
	n.Add(Names{Was: 7, Old: old, Stays: true, Near: 3, Of: []Name{{Group: 2}}, Taken: true})
	n.Add(Names{})
	want := Names{Was: 7, Old: old, Stays: true, Near: 5, Of: []Name{{Group: 1}, {Group: 2}}, Taken: true}
	if !reflect.DeepEqual(n, want) {
		t.Errorf("got %+v, want %+v", n, want)
	}
	for _, many := range []int{Few, Few + 1, 2 * Few} {
		var n Names
		if n.AddBatch(make([]Name, many)); n.Near != many || len(n.Of) != min(many, Few) {
			t.Errorf("%d in a batch: got %d, of which %d are looked at", many, n.Near, len(n.Of))
		}
	}
}
