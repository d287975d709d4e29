package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/plugin/shards"
)

const letter = `Dear friend, you have won a great prize in the lottery of the post office: write to us
today, and no later than Friday, and claim what is yours, before it is given to somebody else, who
may have waited for it for as long as you have, and who lives in the very same street as you do.`

// The program, on shards of its own.
func TestRun(t *testing.T) {
	t.Parallel()
	for _, local := range []bool{true, false} {
		all := shardsOf(3, local, nil, shards.RemoteOptions{})
		set, err := shards.New(newMapping(), shards.Options{}, all...)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 6 {
			if err := set.Write(shards.Document{ID: fmt.Sprint(i), Data: map[string]any{"text": fmt.Sprint(letter, i/4)}}); err != nil {
				t.Fatal(err)
			}
		}
		var out bytes.Buffer
		if err := run(&out, all, shards.FailClosed, "", "prize"); err != nil {
			t.Fatal(err)
		}
		if got := out.String(); strings.Count(got, "hides") != 5 || !strings.Contains(got, "not written: a near-duplicate of") {
			t.Errorf("local %t: got\n%s", local, got)
		}
	}
}
