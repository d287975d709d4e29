package char

import (
	"fmt"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2/registry"
)

func TestSkeleton(t *testing.T) {
	f, err := registry.NewCache().CharFilterNamed(Skeleton)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ in, want string }{
		{"", ""},
		{"plain text", "plain text"},
		{"Frее ｍｏｎｅｙ", "Free money"},
		{"\u200b\u202e", ""},
	} {
		in := []byte(tt.in)
		if got := string(f.Filter(in)); got != tt.want || string(in) != tt.in {
			t.Errorf("%q: got %q, want %q; the input is %q then", tt.in, got, tt.want, in)
		}
	}
	ascii := []byte("plain text")
	if n := testing.AllocsPerRun(10, func() { f.Filter(ascii) }); n > 0 {
		t.Errorf("%v allocations for ASCII", n)
	}
}

func TestSkeletonConfig(t *testing.T) {
	t.Parallel()
	if _, err := newSkeleton(map[string]any{"type": Skeleton}, nil); err != nil {
		t.Error(err)
	}
	_, err := newSkeleton(map[string]any{"digits": true}, nil)
	if err == nil || !strings.HasPrefix(err.Error(), "neardup_skeleton: digits: wanted one of the keys type") {
		t.Errorf("an unknown option: got %v", err)
	}
}

func Example_skeleton() {
	f, err := registry.NewCache().CharFilterNamed(Skeleton)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s\n", f.Filter([]byte("Сhеар рills")))
	// Output: Cheap pills
}
