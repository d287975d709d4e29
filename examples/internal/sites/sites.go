// Package sites makes pages of web sites, for tests and measurements of what pages of one
// site share: a template of menus, banner, aside and footer around the text of each page.
// What it makes depends on its arguments alone.
package sites

import (
	"fmt"
	"html"
	"math/rand/v2"
	"strings"
)

// Markup says how the template is marked in HTML.
type Markup int

const (
	// Elements: header, nav, aside and footer.
	Elements Markup = iota

	// Roles: div elements with roles.
	Roles

	// Unmarked: div elements with classes. Of the template only its links tell.
	Unmarked
)

// Site is a site. It is safe for concurrent use.
type Site struct {
	markup               Markup
	banner, aside, foot  string
	menu, related, links []string
}

// Words returns the words of texts, each once, in the order in which they come.
func Words(texts ...string) (words []string) {
	seen := map[string]bool{}
	for _, t := range texts {
		for w := range strings.FieldsFuncSeq(t, func(r rune) bool { return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z') }) {
			if w = strings.ToLower(w); !seen[w] {
				seen[w] = true
				words = append(words, w)
			}
		}
	}
	return words
}

// New returns a site whose template has size words, drawn from the words given by the
// number of the site: two in ten stand in menus before the text, three in ten after it in an
// aside of sentences and links, and nearly all others in a footer.
func New(number uint64, markup Markup, words []string, size int) *Site {
	rnd := rand.New(rand.NewPCG(number, uint64(size)))
	left := size
	draw := func(n int) string {
		n = min(n, left)
		left -= n
		list := make([]string, n)
		for i := range list {
			list[i] = words[rnd.IntN(len(words))]
		}
		return strings.Join(list, " ")
	}
	items := func(n int) (list []string) {
		for n > 0 {
			k := min(n, 1+rnd.IntN(3))
			list = append(list, draw(k))
			n -= k
		}
		return list
	}
	s := &Site{markup: markup}
	s.banner = draw(size / 50)
	s.menu = items(size / 5)
	s.aside = draw(size / 5)
	s.related = items(size / 10)
	s.links = items(size / 20)
	s.foot = draw(left)
	return s
}

// tags returns the start and end tag of a part of the template.
func (s *Site) tags(element, role string) (start, end string) {
	switch s.markup {
	case Roles:
		return fmt.Sprintf("<div role=%q>", role), "</div>"
	case Unmarked:
		return fmt.Sprintf("<div class=%q>", element), "</div>"
	}
	return "<" + element + ">", "</" + element + ">"
}

// HTML returns the page with that text, of one paragraph a line. Text is all that the page
// has of its own.
func (s *Site) HTML(text string) string {
	var b strings.Builder
	part := func(element, role string, write func()) {
		start, end := s.tags(element, role)
		b.WriteString(start)
		write()
		b.WriteString(end + "\n")
	}
	list := func(items []string) {
		b.WriteString("<ul>")
		for i, item := range items {
			fmt.Fprintf(&b, "<li><a href=\"/%d.html\">%s</a></li>\n", i, html.EscapeString(item))
		}
		b.WriteString("</ul>")
	}
	sentences := func(text string) { fmt.Fprintf(&b, "<p>%s.</p>", html.EscapeString(text)) }
	b.WriteString("<!DOCTYPE html>\n<html><head><meta charset=utf-8></head><body>\n")
	part("header", "banner", func() { sentences(s.banner) })
	part("nav", "navigation", func() { list(s.menu) })
	b.WriteString("<main>\n")
	for line := range strings.Lines(text) {
		fmt.Fprintf(&b, "<p>%s</p>\n", html.EscapeString(strings.TrimSpace(line)))
	}
	b.WriteString("</main>\n")
	part("aside", "complementary", func() { sentences(s.aside); list(s.related) })
	part("footer", "contentinfo", func() { list(s.links); sentences(s.foot) })
	b.WriteString("</body></html>\n")
	return b.String()
}

// Plain returns the same page as plain text.
func (s *Site) Plain(text string) string {
	return strings.Join([]string{
		s.banner + ".", strings.Join(s.menu, "\n"), text,
		s.aside + ".", strings.Join(s.related, "\n"), strings.Join(s.links, "\n"), s.foot + ".",
	}, "\n") + "\n"
}

// Bodies cuts texts into n pieces of so many words, or fewer pieces if there is not more text. No two
// have a place of a text in common.
func Bodies(texts []string, words, n int) (bodies []string) {
	for _, t := range texts {
		if len(bodies) == n {
			break
		}
		all := strings.Fields(t)
		for ; len(all) >= words && len(bodies) < n; all = all[words:] {
			bodies = append(bodies, strings.Join(all[:words], " "))
		}
	}
	return bodies
}
