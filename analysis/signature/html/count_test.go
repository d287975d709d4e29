package html

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestWords(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		in          string
		hidden, all uint64
	}{
		{"", 0, 0},
		{"a b, c", 0, 3},
		{"a b <nav>c</nav><footer>d</footer>", 0, 4},
		{"a <div hidden>b c</div> d", 2, 4},
		{"a <nav><p hidden>b c</p>d</nav>", 2, 4},
		{"a <b style=display:none>b <b>c</b> d</b> e", 3, 5},
		{"<p style='color:#fff;background:white'>a b<p>c", 2, 3},
		{"a<i hidden>b</i>c<i hidden>d</i>e", 2, 3},
		{"<i hidden>b<div>c</i>d</div>e", 2, 4},
		{"<div hidden><b hidden>a</b> b</div>c", 2, 3},
		{"<div hidden=until-found>a</div>b", 0, 2},
		{"<input hidden>a<br hidden>b", 0, 2},
		{"<table><tr><td hidden>a<td>b</table>", 1, 2},
		{"<ul><li hidden>a &amp; b<li>c</ul>", 2, 3},
		{"<template>a <template>b</template> c</template>d", 3, 4},
		{"<div hidden><template>a</div></template>b</div>c", 2, 3},
		{"a<noscript>b <p>c</p>&lt;d <noscript>e</noscript>f", 4, 5}, // "af" is seen as one word
		{"<nav><noscript>a<template>b</noscript></nav>c", 2, 3},
		{"<noscript></template>a<script>b</script></noscript>c", 1, 2},
		{"<script>a b</script><style>c</style><iframe>d</iframe><!-- e -->f", 0, 1},
		{"<textarea hidden>a <b></textarea><title>c d</title>", 2, 4},
		{"<span hidden>語言 x</span>語", 3, 4},
		{"<a href=x><b hidden>a</a> b</b>c", 2, 3},
		{strings.Repeat("<div>", 600) + "<p hidden>a</p>b", 0, 2}, // deeper than the stack
		{"caf&eacute;s<b hidden>caf&eacute;s &eacute;</b>", 2, 3},
	} {
		for _, m := range []struct {
			name    string
			of      func(dst, src []byte) []byte
			counted func(dst, src []byte) ([]byte, Words)
		}{{"Text", Text, TextWords}, {"Visible", Visible, VisibleWords}, {"Content", Content, ContentWords}} {
			got, words := m.counted([]byte("before"), []byte(tt.in))
			if want := m.of([]byte("before"), []byte(tt.in)); !bytes.Equal(got, want) {
				t.Errorf("%s of %q: got %q, want %q", m.name, tt.in, got, want)
			}
			if want := (Words{tt.all, tt.hidden}); words != want {
				t.Errorf("%s of %q: got %+v, want %+v", m.name, tt.in, words, want)
			}
		}
	}
}

// spread writes the text of the tree that is shown, and that is hidden, with a line feed for each edge
// of a block.
func (n *node) spread(shown, hidden *strings.Builder, hides bool) {
	if n.name == "" {
		if hides {
			hidden.WriteString(n.text)
		} else {
			shown.WriteString(n.text)
		}
		return
	}
	edge := func() {
		if n.in(treeBlocks) {
			shown.WriteByte('\n')
			hidden.WriteByte('\n')
		}
	}
	edge()
	if n.hidden && !hides {
		hidden.WriteByte('\n')
	}
	for _, c := range n.children {
		c.spread(shown, hidden, hides || n.hidden)
	}
	edge()
}

// Of random trees as many words are hidden as the tree says, whatever is left out.
func TestWordsOracle(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(9, 10))
	some := 0
	for range 3000 {
		root := tree(rnd, "div", 1+rnd.IntN(5))
		var b, shown, hidden strings.Builder
		root.write(&b, rnd, nil)
		page := []byte(b.String() + "</div>")
		root.spread(&shown, &hidden, false)
		h := naiveWords(hidden.String())
		want := Words{uint64(h + naiveWords(shown.String())), uint64(h)}
		for i, of := range []func(dst, src []byte) ([]byte, Words){TextWords, VisibleWords, ContentWords} {
			text, got := of(nil, page)
			if got != want {
				t.Fatalf("%s: %d: got %+v, want %+v", page, i, got, want)
			}
			if as := []func(dst, src []byte) []byte{Text, Visible, Content}[i](nil, page); !bytes.Equal(text, as) {
				t.Fatalf("%s: %d: got %q, want %q", page, i, text, as)
			}
		}
		if h > 0 {
			some++
		}
	}
	if some < 300 {
		t.Errorf("%d of 3,000 pages hide words, want at least 300", some)
	}
}

func TestWordsRandom(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(11, 12))
	more := append([]string{"<template>", "</template>", "<noscript>", "</noscript>", "<noscript hidden>"}, tags...)
	for range 5000 {
		var b strings.Builder
		for range rnd.IntN(40) {
			b.WriteString(more[rnd.IntN(len(more))])
		}
		in := []byte(b.String())
		_, want := TextWords(nil, in)
		for i, of := range []func(dst, src []byte) ([]byte, Words){TextWords, VisibleWords, ContentWords} {
			text, got := of(nil, in)
			if as := []func(dst, src []byte) []byte{Text, Visible, Content}[i](nil, in); !bytes.Equal(text, as) || got != want || got.Hidden > got.All {
				t.Fatalf("%q: %d: got %q and %+v, want %q and %+v", in, i, text, got, as, want)
			}
		}
	}
}

func TestWordsStored(t *testing.T) {
	t.Parallel()
	for _, w := range []Words{{}, {5, 5}, {1 << 63, 12}} {
		if got, err := ParseWords(w.Stored()); err != nil || got != w {
			t.Errorf("%s: got %+v, %v", w.Stored(), got, err)
		}
	}
	for _, s := range []string{"", "1", "/", "2/1", "01/2", "1/2/3", "-1/2", "1/2 ", "1/18446744073709551616"} {
		if got, err := ParseWords(s); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("got %q", s)) || got != (Words{}) {
			t.Errorf("%q: got %+v, %v", s, got, err)
		}
	}
	if a, b := (Words{8, 2}).Plus(Words{2, 1}), (Words{}); a.Share() != .3 || b.Share() != 0 {
		t.Errorf("got %v and %v", a.Share(), b.Share())
	}
}

func ExampleContentWords() {
	_, words := ContentWords(nil, []byte(`<p>A rose is a rose.<p style="display:none">cheap roses online`))
	fmt.Printf("%d of %d words are hidden: %.2f\n", words.Hidden, words.All, words.Share())
	// Output: 3 of 8 words are hidden: 0.38
}
