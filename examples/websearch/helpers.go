package main

import (
	"fmt"
	"html/template"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/neardup/bleve-neardup/analysis/signature"
)

// link is a near-copy with where it is compared.
type link struct {
	Copy   copied
	URL    string
	Pasted bool
}

// compareURL is where b is compared, with a or with a pasted text.
func compareURL(st state, a, b string) string {
	v := url.Values{"b": {b}}
	if a != "" {
		v.Set("a", a)
	}
	own := st.At("/compare")
	own.Query = st.Query
	rule := own.URL()
	if _, query, ok := strings.Cut(rule, "?"); ok {
		return "/compare?" + v.Encode() + "&" + query
	}
	return "/compare?" + v.Encode()
}

// Back is where the comparison came from, as far as its URL says.
func (c comparison) Back() state {
	back := c.At("/")
	back.Query = c.Query
	return back
}

// helpers are the functions of the templates.
var helpers = template.FuncMap{
	"join":    strings.Join,
	"base":    filepath.Base, // where a file is kept is nothing for those who search
	"comma":   comma,
	"plural":  plural,
	"percent": percent,
	"ms":      func(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000) },
	"add":     func(a, b int) int { return a + b },
	"other": func(other bool) string {
		if other {
			return "other "
		}
		return ""
	},
	"pair":   func(e entry, c copied) link { return link{c, compareURL(e.State, e.ID, c.ID), false} },
	"pasted": func(st state, c copied) link { return link{c, compareURL(st, "", c.ID), true} },
	"reasons": func(r signature.Reason) (names []string) {
		for _, one := range []signature.Reason{signature.ByExact, signature.BySketch, signature.BySimhash} {
			if r&one != 0 {
				names = append(names, one.String())
			}
		}
		return names
	},
}

// comma writes a number with commas between the thousands.
func comma(n any) string {
	s := fmt.Sprint(n)
	if _, err := strconv.Atoi(s); err != nil {
		return s
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// plural writes a number of things.
func plural(n any, one, many string) string {
	if s := fmt.Sprint(n); s != "1" {
		return comma(n) + " " + many
	}
	return "1 " + one
}

// percent writes an estimated resemblance. That all lanes agree does not make two texts the
// same: 100 % is said only if their exact hashes agree.
func percent(share float64, m signature.Match) string {
	text := fmt.Sprintf("%.0f %%", 100*share)
	if text == "100 %" && m.By&signature.ByExact == 0 {
		return "> 99 %"
	}
	return text
}
