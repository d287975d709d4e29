package html

import (
	"fmt"
	"strings"
	"testing"
)

func TestText(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ in, want string }{
		{"", ""},
		{"plain text", "plain text"},
		{"un<b>believ</b>able", "unbelievable"},
		{"un<!-- x -->believ<wbr>able <my-tag>here</my-tag>", "unbelievable here"},
		{"<p>one</p><p>two<br>three<BR/>four", "one\ntwo\nthree\nfour"},
		{"<ul><li>a<li>b</ul><table><tr><td>c<td>d</table>", "a\nb\nc\nd\n"},
		{"<!DOCTYPE html><html lang=en><head><title>A &lt;b> title</title><meta content='no text'></head><body>x", "A <b> title\nx"},
		{"<div><p></p><!-- only --><img alt='markup'><script>x()</script></div>", ""},
		{"a < b, a<3, 1<2 && 3 > 2, <>, </>, <_>", "a < b, a<3, 1<2 && 3 > 2, <>, , <_>"},
		{`<a title="a > b" href='x">y' c=">">z</a>`, "z"},
		{`<a "b>c">d`, `c">d`},
		{`<a b = "x>y" =c= d=e"f>g`, "g"},
		{"a<b", "a"},
		{`x <a href="never closed> y <b>z</b>`, "x "},
		{"a<!-- x > y --> b<!--> c<!---> d<!-- x --!> e<!--x--y-- > z-->f", "a b c d ef"},
		{"a<!-- never closed <p>b", "a"},
		{"a<!x>b<?php echo 1 ?>c</ d>e<!>f", "abcef"},
		{"<![CDATA[a <b> &amp; c]]>d<![CDATA[e]]", "a <b> &amp; cde]]"},
		{"a<script>if (a<b) '</scripty>'</SCRIPT >b", "ab"},
		{"a<script><!-- <script>x</script> y</script>--></script>b", "a-->b"},
		{"a<script><!-- <script>x</script> y --></script>b", "ab"},
		{"a<script><!--> </script>b<script>c", "ab"},
		{"a<style>p > b {}</style>b<noscript>c <b>d</b></noscript>e<iframe>f</iframe>g", "abe\ng"},
		{"a<template>b<template>c</template>d<p></template>e</template>f", "aef"},
		{"<textarea>a <b> &amp; c</textarea>d", "a <b> & c\nd"},
		{"<xmp><b> &amp;</xmp>c<plaintext>d</plaintext>&lt;", "<b> &amp;\nc\nd</plaintext>&lt;"},
		{"<svg><style/><title/>a</svg><script src=x/>b</script>c", "a\nc"},
		{"<title>never closed", "never closed"},
		{"caf&eacute; caf&eacute caf&#233; caf&#xE9; caf&#XE9;", "café café café café café"},
		{"&amp;lt; &lt;b&gt; &notit; &notin; &AMP &Amp; &ampx", "&lt; <b> ¬it; ∉ & &Amp; &x"},
		{"don&rsquo;t &rsquot &#146; &#150;&#0;&#xd800;&#x110000;&#99999999999999999999;", "don’t &rsquot ’ –\ufffd\ufffd\ufffd\ufffd"},
		{"AT&T, a&b; &; &#; &#x; &#xg &", "AT&T, a&b; &; &#; &#x; &#xg &"},
		{"&am<!-- -->p; &l<b>t;</b>", "&amp; &lt;"},
		{"a\x00b\xff<p\x00>c", "a\x00b\xffc"},
	} {
		if got := string(Text(nil, []byte(tt.in), 0, nil)); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.in, got, tt.want)
		}
		check(t, tt.in)
	}
}

// Every element that 15.3 displays as a block separates words. No phrasing element
// (3.2.5.2.5) does, unless it is replaced.
func TestElements(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ names, want string }{
		{"address article aside blockquote center dd details dialog dir div dl dt fieldset figcaption figure footer form h1 h6 header hgroup hr li main menu nav ol p pre search section summary table caption td th tr ul br option", "a\nb"},
		{"a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label map mark nobr output q ruby s samp slot small span strike strong sub sup time tt u var wbr o:p custom-element blockquoteblockquote", "ab"},
	} {
		for name := range strings.FieldsSeq(tt.names) {
			for _, in := range []string{"a<" + name + ">b", "a</" + name + ">b", "a<" + strings.ToUpper(name) + " class=x>b", "a<" + name + "/>b"} {
				if got := string(Text(nil, []byte(in), 0, nil)); got != tt.want {
					t.Errorf("%s: got %q, want %q", in, got, tt.want)
				}
			}
		}
	}
}

// pieces are the parts of random input: everything that some state looks for.
var pieces = []string{
	"<", ">", "/", "!", "-", "--", "=", "\"", "'", " ", "\n", "&", ";", "#", "x", "a", "word", "\x00", "é", "\xff", "]]>", "?",
	"<!--", "-->", "--!>", "<![CDATA[", "<!DOCTYPE html>", "</", "/>", "&amp", "&amp;", "&lt;", "&#", "&#x", "&eacute", "&notin;", "&rsquo;", "9", "150",
	"<p>", "</p>", "<b>", "</B>", "<br/>", "<a href=\"x\">", "<script>", "</script>", "<script", "</script", "<style>", "</style>",
	"<title>", "</title>", "<textarea>", "</textarea >", "<template>", "</template>", "<noscript>", "</noscript/>", "<xmp>", "</xmp>", "<td",
}

func ExampleText() {
	page := `<!DOCTYPE html><title>Roses</title><style>p { color: red }</style>
<p>A rose is a <b>ro</b>se&mdash;<i>isn&rsquo;t</i> it?<p>Yes.`
	fmt.Printf("%s\n", Text(nil, []byte(page), 0, nil))
	// Output:
	// Roses
	//
	// A rose is a rose—isn’t it?
	// Yes.
}
