package html

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"unicode"
)

// body is a text of 21 words.
const body = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty end"

// content is what is left out by default.
const content = Hidden | Template

func TestContent(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ in, content, visible string }{
		{"", "", ""},
		{"<nav>menu</nav>@", "@", "menu @"},
		{"<aside>menu</aside><footer>imprint</footer>@<search>find</search>", "@", "menu imprint @ find"},
		{"<header>banner</header>@", "@", "banner @"},
		{"<article><header>title</header>@</article><header>x</header>", "title @", "title @ x"},
		{"<main><div><header>title</header>@</div></main>", "title @", "title @"},
		{"<div role=main><header>title</header>@</div>", "title @", "title @"},
		{"<DIV ROLE=' Navigation x'>menu</DIV>@<p role=contentinfo>x<p>y", "@ y", "menu @ x y"},
		{"<div role='presentation navigation'>text</div>@", "text @", "text @"},
		{"<div role=x role=banner>text</div>@", "text @", "text @"},
		{"a<span role=search>b</span>c @", "ac @", "abc @"},
		{"<div hidden>x</div>@<p hidden=''>y<p>z", "@ z", "@ z"},
		{"<div hidden=until-found>x</div>@", "x @", "x @"},
		{"<div style='color: red; DISPLAY : None !important'>x</div>@", "@", "@"},
		{"<div style=\"display:none;display:block\">x</div>@<i style=visibility:hidden>y</i>", "x @", "x @"},
		{"<div style='color:#fff;background-color:#FFFFFF'>x</div>@", "@", "@"},
		{"<div style='color:white;background:rgb(255, 255,255)'>x</div>@", "@", "@"},
		{"<div style='color:white;background:url(white.png) white'>x</div>@", "x @", "x @"},
		{"<div style='color:#123;background:#112234'>x</div>@", "x @", "x @"},
		{"<div style='color:inherit;background:inherit'>x</div>@", "x @", "x @"},
		{"<div style='color:none'>x</div><div style='display'>y</div>@", "x y @", "x y @"},
		{"<p style='font-size:0'>x<p style='FONT-SIZE: 1px'>y<p style='font-size:.01em'>z<p style='font-size:2px'>w<p>@", "w @", "w @"},
		{"<p style='opacity:0'>x<p style='opacity:.01'>y<p style='opacity:0.5'>z<p>@", "z @", "z @"},
		{"<p style='height:0;overflow:hidden'>x<p style='max-width:0px;overflow:clip'>y<p style='width:0'>z<p>@", "z @", "z @"},
		{"<p style='position:absolute;left:-9999px'>x<p style='text-indent:-100em'>y<p style='margin-left:-2%'>z<p>@", "z @", "z @"},
		{"<p style='visibility:collapse'>x<p style='color:transparent'>y<p style='color:transparent;color:red'>z<p>@", "z @", "z @"},
		{"<div style='background:#fff'>a<p style='color:white'>x<p style='color:red'>b</div>@", "a b @", "a b @"},
		{"<div style='background:#fff'><p style='background:black'>a<span style='color:white'>b</span><p><font color=white>x</font>c</div>@", "ab c @", "ab c @"},
		{"<table bgcolor=white><tr><td>a<font color='#FFFFFF'>x</font>b</table>@", "ab @", "ab @"},
		{"<div style='color:white'>a<p style='background:white'>x</div>@", "a @", "a @"},
		{"<div style='background:white'><p style='background:url(dark.png)'><b style='color:white'>a</b></div>@", "a @", "a @"},
		{"<div style='background:white'><p style='background:var(--dark)'><b style='color:white'>a</b></div>@", "a @", "a @"},
		{"a<span hidden>b<span>c</span>d</span>e @", "ae @", "ae @"},
		{"a<span hidden><p>b</p></span><p>c @", "a c @", "a c @"},
		{"<p>@ a<span hidden>b<p>c", "@ a c", "@ a c"},
		{"<input hidden>x<br hidden>y @<meta hidden>", "x y @", "x y @"},
		{"<div hidden/>x @", "x @", "x @"},
		{"<textarea hidden>a <b></textarea>@<title hidden>x</title>", "@", "@"},
		// Links.
		{"<ul><li><a href=/>Home</a><li><a href=/news>News</a></ul><p>@", "@", "Home News @"},
		{"<div><a href=/>Home</a> | <a href=/news>News</a>&nbsp;&raquo;</div>@", "@", "Home | News » @"},
		{"<p><a href=/>The title</a><p>@", "The title @", "The title @"},
		{"<h2><a href=1>a</a></h2><h2><a href=2>b</a></h2>@", "a b @", "a b @"},
		{"<p>see <a href=1>a</a>, <a href=2>b</a></p>@", "see a , b @", "see a , b @"},
		{"<div><a href=1>a</a></div><div><img><a href=2><svg></svg>b</a></div>@", "@", "a b @"},
		{"<a name=1>a</a> <a name=2>b</a><p>@", "a b @", "a b @"},
		{"<p>@<p><a href=1>a<p>b<p>c<p>d", "@ a b c d", "@ a b c d"},
		{"<p>@<ul><li><a href=1>a</a><li hidden>x<li><a href=2>b</a></ul>c", "@ c", "@ a b c"},
		{"<p>@<ul><li><a href=1>a</a><li><a href=2>b</a></ul>c<b hidden>x</b>d<i hidden>y</i>", "@ cd", "@ a b cd"},
		{"<ul><li><a href=1></a><li><a href=2>b</a></ul>@", "b @", "b @"},
		{"<p>@<ul><li><a href=1>a</a>\n<li><a href=2>b</a>\n</ul>c", "@ c", "@ a b c"},
		{"<p>x<ul><li><a href=1>a</a><li hidden>y<li><a href=2>b</a></ul>z<div hidden>v</div>w@", "x z w@", "x a b z w@"},
		{"<nav>x</nav><div><a href=1>a</a></div>\n<div><a href=2>b</a></div><p>y", "x a b y", "x a b y"},
		{"@<nav><a href=1>a</a></nav><p>x<a href=1>a</a><nav>y</nav>z", "@ xa z", "@ a xa y z"},
		{"<p><b hidden>x</b>one<nav>y</nav>", "xone y", "xone y"},
		// What is not closed.
		{"<div><nav><ul><li>menu</div>@", "@", "menu @"},
		{"<table><tr><td><nav>menu<td>@</table>", "@", "menu @"},
		{"<table><tr hidden><td>x<tr><td>@<tbody hidden><tr><td>y</table>z", "@ z", "@ z"},
		{"<ul><li hidden>x<ul><li>y</ul>z<li>@</ul>", "@", "@"},
		{"<dl><dt hidden>x<dd>@</dl>", "@", "@"},
		{"<nav><p></div></nav></nav>@</p>", "@", "@"},
		{"<nav><table><tr><td></nav>x</table></nav>@", "@", "x @"},
		{"<td hidden>x</td>@", "x @", "x @"},
		{"<template><nav></template>@", "@", "@"},
		{"<nav><template></nav>x</template>y</nav>@", "@", "y @"},
		{"@<aside>x", "@", "@ x"},
		// All is kept.
		{"<nav>menu</nav>one two three", "menu one two three", "menu one two three"},
		{"<div hidden>menu</div>one", "menu one", "menu one"},
	} {
		in := strings.ReplaceAll(tt.in, "@", body)
		for _, m := range []struct {
			name string
			made []byte
			want string
		}{
			{"Content", Text(nil, []byte(in), content, nil), tt.content}, {"Visible", Text(nil, []byte(in), Hidden, nil), tt.visible},
		} {
			got := strings.Join(strings.Fields(strings.ReplaceAll(string(m.made), body, "@")), " ")
			if strings.ReplaceAll(got, " ,", ",") != strings.ReplaceAll(m.want, " ,", ",") {
				t.Errorf("%s %q: got %q, want %q", m.name, tt.in, got, m.want)
			}
		}
	}
}

// node is an element of a tree, or a text.
type node struct {
	name, attributes string
	hidden, part     bool // by its attributes
	main             bool // by its role
	text             string
	children         []*node
}

const (
	treeBlocks = " div p section article main header nav aside footer h2 ul li table tr td blockquote search "
	treeParts  = " nav aside footer search "
)

func (n *node) in(list string) bool { return n.name != "" && strings.Contains(list, " "+n.name+" ") }

// tree is a random tree: what may stand in an element of that name.
func tree(rnd *rand.Rand, name string, depth int) *node {
	n := &node{name: name}
	switch rnd.IntN(25) {
	case 0:
		n.attributes, n.hidden = pickOne(rnd, ` hidden`, ` class=x hidden=""`, ` style="display:none"`, ` style='Visibility: hidden; color: red'`, ` style="color:#000;background:black"`), true
	case 1:
		n.attributes, n.part = pickOne(rnd, ` role=navigation`, ` role="banner"`, ` id='a' role='SEARCH'`), true
	case 2:
		n.attributes, n.main = pickOne(rnd, ` role=main`, ` role="article"`), n.in(treeBlocks)
	case 3:
		n.attributes = pickOne(rnd, ` class="hidden"`, ` data-role=navigation`, ` style="color:white;background:black"`, ` role=list`)
	}
	flow := []string{"div", "p", "section", "article", "main", "header", "nav", "aside", "footer", "h2", "ul", "table", "blockquote", "search"}
	phrasing := []string{"b", "span", "", "", "", "a"}
	for range rnd.IntN(5) {
		child := ""
		switch {
		case name == "ul":
			child = "li"
		case name == "table":
			child = "tr"
		case name == "tr":
			child = "td"
		case name == "a" || depth == 0:
		case n.in(" p h2 b span "):
			child = phrasing[rnd.IntN(len(phrasing))]
		case rnd.IntN(3) == 0:
			child = phrasing[rnd.IntN(len(phrasing))]
		default:
			child = flow[rnd.IntN(len(flow))]
		}
		if child == "" {
			n.children = append(n.children, &node{text: sentence(rnd)})
		} else {
			n.children = append(n.children, tree(rnd, child, max(0, depth-1)))
		}
	}
	if name == "a" {
		n.attributes += " href=x"
	}
	return n
}

func pickOne(rnd *rand.Rand, list ...string) string { return list[rnd.IntN(len(list))] }

func sentence(rnd *rand.Rand) string {
	switch rnd.IntN(4) {
	case 0:
		return pickOne(rnd, " ", " | ", ", ", "", "\n")
	case 1:
		return fmt.Sprintf("語%d ", rnd.IntN(100))
	}
	var b strings.Builder
	for range rnd.IntN(6) {
		fmt.Fprintf(&b, "w%d ", rnd.IntN(1000))
	}
	return b.String()
}

// write writes the tree as HTML, perhaps without end tags that may be left out before the
// node that follows.
func (n *node) write(b *strings.Builder, rnd *rand.Rand, next *node) {
	if n.name == "" {
		b.WriteString(n.text)
		return
	}
	fmt.Fprintf(b, "<%s%s>", n.name, n.attributes)
	for i, c := range n.children {
		var after *node
		if i+1 < len(n.children) {
			after = n.children[i+1]
		}
		c.write(b, rnd, after)
	}
	optional := n.in(" li tr td ") || n.in(" p ") && (next == nil || next.in(treeBlocks))
	if !optional || rnd.IntN(2) == 0 {
		fmt.Fprintf(b, "</%s>", n.name)
	}
}

// event is text, with the number of its link, or the edge of a block.
type event struct {
	text    string
	link    int
	edge    bool
	heading bool
}

// events lists what of the tree is kept.
func (n *node) events(all []event, what Reasons, mains, link int, heading bool, links *int) []event {
	if n.name == "" {
		return append(all, event{text: n.text, link: link, heading: heading})
	}
	part := n.part || n.in(treeParts) || n.name == "header" && mains == 0
	if what&Hidden != 0 && n.hidden || what&Template != 0 && part {
		if n.in(treeBlocks) {
			all = append(all, event{edge: true})
		}
		return all
	}
	if n.in(" article main ") || n.main {
		mains++
	}
	if n.name == "a" {
		*links++
		link = *links
	}
	block := n.in(treeBlocks)
	if block {
		heading = n.name == "h2"
		all = append(all, event{edge: true})
	}
	for _, c := range n.children {
		all = c.events(all, what, mains, link, heading, links)
	}
	if block {
		all = append(all, event{edge: true})
	}
	return all
}

// naiveContent is the oracle: the text of the tree without what is left out for the reasons
// given.
func naiveContent(root *node, what Reasons) string {
	all := text(root.events(nil, 0, 0, 0, false, new(int)))
	var blocks [][]event
	var open []event
	for _, e := range append(root.events(nil, what, 0, 0, false, new(int)), event{edge: true}) {
		if !e.edge {
			open = append(open, e)
			continue
		}
		blocks, open = append(blocks, open), nil
	}
	var kept string
	var run []string
	links := 0
	end := func() {
		if what&Template == 0 || links < 2 {
			kept += strings.Join(run, "")
		}
		run, links = nil, 0
	}
	for _, b := range blocks {
		plain, own := false, map[int]bool{}
		for _, e := range b {
			has := strings.ContainsFunc(e.text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) })
			plain = plain || has && (e.link == 0 || e.heading)
			if has && e.link > 0 {
				own[e.link] = true
			}
		}
		if plain {
			end()
			kept += text(b) + "\n"
			continue
		}
		run, links = append(run, text(b)+"\n"), links+len(own)
	}
	end()
	if naiveWords(kept) < 20 {
		return all
	}
	return kept
}

func text(events []event) string {
	var b strings.Builder
	for _, e := range events {
		if e.edge {
			b.WriteByte('\n')
		}
		b.WriteString(e.text)
	}
	return b.String()
}

func naiveWords(s string) int {
	spaced := strings.ReplaceAll(s, "語", " 語 ")
	return len(strings.FieldsFunc(spaced, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }))
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

// Of random trees what the tree says is left out, and as many words are hidden as it says, whatever is left out.
func TestOracle(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(5, 6))
	cut, some := 0, 0
	for range 2000 {
		root := tree(rnd, "div", 1+rnd.IntN(5))
		var b, shown, hidden strings.Builder
		root.write(&b, rnd, nil)
		page := b.String() + "</div>"
		root.spread(&shown, &hidden, false)
		h := naiveWords(hidden.String())
		words := Words{uint64(h + naiveWords(shown.String())), uint64(h)}
		if h > 0 {
			some++
		}
		for _, what := range choices {
			var w Words
			got, want := string(Text(nil, []byte(page), what, &w)), naiveContent(root, what)
			if !equalFields(got, want) || w != words {
				t.Fatalf("%d of %s: got %q and %+v, want %q and %+v", what, page, strings.Fields(got), w, strings.Fields(want), words)
			}
			if what == content && !equalFields(want, naiveContent(root, 0)) {
				cut++
			}
		}
	}
	if cut < 120 || some < 200 {
		t.Errorf("of 2,000 pages something was left out of %d, want at least 120, and %d hide words, want at least 200", cut, some)
	}
}

func equalFields(a, b string) bool {
	return strings.Join(strings.Fields(a), " ") == strings.Join(strings.Fields(b), " ")
}

// tags are pieces of pages whose elements do not match.
var tags = append([]string{
	"<nav>", "</nav>", "<div>", "</div>", "<div hidden>", "<span hidden>", "</span>", "<p hidden>", "<li>", "</li>", "<ul>", "</ul>", "<li role=menu>",
	"<table>", "</table>", "<tr>", "<tr hidden>", "<td>", "</td>", "<tbody>", "<h1>", "</h2>", "<main>", "</main>", "<header>", "</header>", "<aside/>",
	"<a href=x>", "</a>", "<dt>", "<dd hidden>", "<div style=display:none>", "<font style='color:red;background:red'>", "</font>", body, "one two ", "語",
}, pieces...)

// choices are what can be left out.
var choices = []Reasons{0, Hidden, content}

// longest is the most bytes of text that a page can have: those of the page, and where U+0000 becomes U+FFFD, or a
// reference stands for two letters, a few more.
func longest(in string) int { return len(in) + 2*strings.Count(in, "\x00") + strings.Count(in, "&") }

// check checks what holds of every input.
func check(t *testing.T, in string) {
	t.Helper()
	var words Words
	all := string(Text(nil, []byte(in), 0, &words))
	for _, what := range choices {
		kept, ok := strings.CutPrefix(string(Text([]byte("before"), []byte(in), what, nil)), "before")
		if !ok || len(kept) > longest(in) || !within(kept, all) {
			t.Errorf("%d of %q: %q is no part of %q", what, in, kept, all)
		}
		// Line feeds apart, either all is there or enough.
		whole := strings.ReplaceAll(kept, "\n", "") == strings.ReplaceAll(all, "\n", "")
		var w wordCount
		w.count([]byte(kept))
		if !whole && (w.n < least || what == 0) {
			t.Errorf("%d of %q: %d words are left, want all or at least %d", what, in, w.n, least)
		}
		counted := Words{All: 1, Hidden: 1}
		same := Text([]byte("before"), []byte(in), what, &counted)
		if string(same) != "before"+kept || counted != (Words{words.All + 1, words.Hidden + 1}) || words.Hidden > words.All {
			t.Errorf("%d of %q: got %q and %+v, want %q and one more than %+v", what, in, same, counted, kept, words)
		}
	}
}

// within reports whether part comes of all by leaving out bytes, line feeds apart.
func within(part, all string) bool {
	part, all = strings.ReplaceAll(part, "\n", ""), strings.ReplaceAll(all, "\n", "")
	for i := 0; i < len(part); i++ {
		n := strings.IndexByte(all, part[i])
		if n < 0 {
			return false
		}
		all = all[n+1:]
	}
	return true
}

func TestRandom(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(7, 8))
	for range 4000 {
		var b strings.Builder
		from := rnd.IntN(len(tags))
		kinds := 1 + rnd.IntN(len(tags)-from)
		if rnd.IntN(2) == 0 {
			from, kinds = 0, len(tags)
		}
		for range rnd.IntN(60) {
			b.WriteString(tags[from+rnd.IntN(kinds)])
		}
		check(t, b.String())
		if t.Failed() {
			return
		}
	}
	check(t, "<plaintext><p>&amp;")
}

func FuzzText(f *testing.F) {
	for _, p := range tags {
		f.Add(p + "text<b>" + p + body + "<nav>" + p + "menu")
	}
	f.Fuzz(func(t *testing.T, in string) {
		if len(in) < 100000 {
			check(t, in)
		}
	})
}

// What a hostile page might repeat takes time and memory in proportion, with a million of
// elements in each other, too: if it were quadratic, this would take minutes.
func TestLinear(t *testing.T) {
	nest := strings.Repeat("<div><section>", 300)
	Text(nil, []byte("語"), content, nil) // which makes the table of classes
	for _, p := range append([]string{"</section>", "<div hidden>x</div>y", "<nav>a</nav>b", "<a href=1>x</a><p>", "<b hidden>", "x<b hidden>x</b>"}, tags...) {
		for _, prefix := range []string{
			body, nest + "<table><tr><td>" + nest, body + "<nav>", body + "<span hidden>", "<script><!--", "<title>", "<a b='",
		} {
			in := []byte(prefix + strings.Repeat(p, 1<<16/len(p)))
			dst := make([]byte, 0, len(in))
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			Text(dst, in, content, nil)
			runtime.ReadMemStats(&after)
			if grown := after.TotalAlloc - before.TotalAlloc; grown > uint64(12*len(in)) {
				t.Errorf("%.40q and then 64 KB of %q took %d bytes of memory", prefix, p, grown)
			}
		}
	}
}

func TestAppends(t *testing.T) {
	t.Parallel()
	if got := Text([]byte("before\n"), []byte("<nav>x</nav>"+body), content, nil); !bytes.Equal(got, []byte("before\n\n"+body)) {
		t.Errorf("got %q", got)
	}
}

func ExampleText_content() {
	page := `<header><a href="/">The Rose Journal</a></header>
<ul><li><a href="/news">News</a><li><a href="/shop">Shop</a></ul>
<p>A rose is a rose; twenty words are needed before anything is left out of a page, so this page goes on for a while.
<footer>Imprint</footer>`
	fmt.Printf("%s\n", bytes.TrimSpace(Text(nil, []byte(page), Hidden|Template, nil)))
	// Output:
	// A rose is a rose; twenty words are needed before anything is left out of a page, so this page goes on for a while.
}

// BenchmarkText compares what can be left out.
func BenchmarkText(b *testing.B) {
	sentence := "The quick brown fox jumps over the lazy dog; it isn't amused, and neither is the cat. "
	for _, bb := range []struct{ name, page string }{
		{"plain", strings.Repeat(sentence, 200)},
		{"article", strings.Repeat("<p class=\"body\">"+strings.Repeat(sentence, 4)+"<a href=\"https://example.org/page\">The <em>link</em></a> &amp; don&rsquo;t.</p>\n", 20)},
		{"menus", strings.Repeat("<li class=\"item\" id=\"i7\"><a href=\"/a/b/c.html\" title=\"x\"><span>word</span></a></li>\n", 100) + "<p>" + strings.Repeat(sentence, 20)},
		{"latin1", strings.Repeat("<p>Les &eacute;l&egrave;ves n&rsquo;&eacute;taient pas &agrave; l&rsquo;&eacute;cole ce jour-l&agrave;.</p>\n", 100)},
	} {
		page := []byte(bb.page)
		dst := make([]byte, 0, len(page))
		for i, name := range []string{"all", "hidden", "template"} {
			b.Run(bb.name+"/"+name, func(b *testing.B) {
				b.SetBytes(int64(len(page)))
				b.ReportAllocs()
				for b.Loop() {
					Text(dst, page, choices[i], nil)
				}
			})
		}
	}
}
