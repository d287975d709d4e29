package html

import (
	"fmt"
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
		var words Words
		Text(nil, []byte(tt.in), content, &words)
		if want := (Words{tt.all, tt.hidden}); words != want {
			t.Errorf("%q: got %+v, want %+v", tt.in, words, want)
		}
		check(t, tt.in)
	}
	if a, b := (Words{10, 3}), (Words{}); a.Share() != .3 || b.Share() != 0 {
		t.Errorf("got %v and %v", a.Share(), b.Share())
	}
}

func ExampleWords() {
	var words Words
	Text(nil, []byte(`<p>A rose is a rose.<p style="display:none">cheap roses online`), Hidden, &words)
	fmt.Printf("%d of %d words are hidden: %.2f\n", words.Hidden, words.All, words.Share())
	// Output: 3 of 8 words are hidden: 0.38
}

// Letters that a later Unicode has are no words, whatever Go knows: here fewer than 20 would remain.
func TestLaterLetters(t *testing.T) {
	t.Parallel()
	page := "<nav>menu</nav>" + strings.Repeat("<p>\U00010d50\U00010d51</p>", 30)
	var w Words
	if got := string(Text(nil, []byte(page), Template, &w)); !strings.HasPrefix(got, "menu") || w.All != 1 {
		t.Errorf("got %q, %d words", got, w.All)
	}
}
