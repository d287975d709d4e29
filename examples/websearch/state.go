package main

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/neardup/bleve-neardup/analysis/signature"
)

// leastLanes is where the slider begins. Fewer lanes agree in unrelated pages too.
const leastLanes = 50

// state is what a URL says. What is left out of it has its default.
type state struct {
	Path     string
	Query    string
	All      bool // copies are shown at their own ranks
	Newest   bool // the newest version of a group is shown, not the best-ranked
	One      bool // one group of each project is shown
	Rule     signature.Rule
	Chain    bool              // groups join near-copies of near-copies
	Filters  map[string]string // chosen facet values, by field
	Page     int
	Open     []string // heads whose group is open
	Like, ID string   // a document
}

// read reads the state. It takes what is out of range for an error of the user.
func (s *site) read(r *http.Request) (state, error) {
	f := r.Form
	st := state{
		Path: r.URL.Path, Query: strings.TrimSpace(f.Get("q")), All: slices.Contains(f["collapse"][max(0, len(f["collapse"])-1):], "off"),
		Chain: f.Get("by") == "components", Filters: make(map[string]string), Page: 1, Open: f["open"], Like: f.Get("like"), ID: f.Get("id"),
	}
	st.Rule.Lanes = defaultLanes
	for _, n := range []struct {
		name        string
		to          *int
		least, most int
	}{
		{"page", &st.Page, 1, mostPages},
		{"lanes", &st.Rule.Lanes, 1, signature.DefaultParams().Lanes},
	} {
		if text := f.Get(n.name); text != "" {
			v, err := strconv.Atoi(text)
			if err != nil || v < n.least || v > n.most {
				return st, failure{http.StatusBadRequest, fmt.Sprintf("%s: wanted a number from %d to %d, got %q", n.name, n.least, n.most, text)}
			}
			*n.to = v
		}
	}
	for _, facet := range s.facets {
		if v := f.Get(facet.Field); v != "" {
			st.Filters[facet.Field] = v
		}
	}
	return st, s.readSwitches(f, &st)
}

// readSwitches reads the switches, as far as the documents have the fields for them.
func (s *site) readSwitches(f url.Values, st *state) error {
	for _, w := range []struct {
		field, name, on string
		to              *bool
	}{{"version", "head", "newest", &st.Newest}, {"project", "per", "project", &st.One}} {
		if len(s.valuesOf(w.field)) == 0 {
			continue
		}
		switch text := f.Get(w.name); text {
		case "":
		case w.on:
			*w.to = true
		default:
			return failure{http.StatusBadRequest, fmt.Sprintf("%s: wanted %q, got %q", w.name, w.on, text)}
		}
	}
	return nil
}

var defaultLanes = signature.Rule{}.Need(signature.DefaultParams().Lanes, 0)

// URL is where the state is read from again.
func (st state) URL() string {
	v := make(url.Values)
	set := func(name, value string, is bool) {
		if is {
			v.Set(name, value)
		}
	}
	set("q", st.Query, st.Query != "")
	set("collapse", "off", st.All)
	set("head", "newest", st.Newest)
	set("per", "project", st.One)
	set("by", "components", st.Chain)
	set("page", strconv.Itoa(st.Page), st.Page > 1)
	set("like", st.Like, st.Like != "")
	set("id", st.ID, st.ID != "")
	set("lanes", strconv.Itoa(st.Rule.Lanes), st.Rule.Lanes != defaultLanes)
	for field, value := range st.Filters {
		v.Set(field, value)
	}
	if len(v) == 0 {
		return st.Path
	}
	return st.Path + "?" + v.Encode()
}

// State is st, for templates, where it is embedded.
func (st state) State() state { return st }

// On returns the state of the page of that number, nothing open.
func (st state) On(page int) state {
	st.Page, st.Open = page, nil
	return st
}

// At returns the rule alone, on another page.
func (st state) At(path string) state {
	return state{Path: path, Rule: st.Rule}
}

// Doc returns the state of a page about a document.
func (st state) Doc(path, id string) state {
	st = st.At(path)
	if path == "/paste" {
		st.Like = id
	} else {
		st.ID = id
	}
	return st
}

// LeastLanes is where the slider begins: what a URL has below that widens it.
func (st state) LeastLanes() int { return min(leastLanes, st.Rule.Lanes) }

// MostLanes is where the slider ends.
func (st state) MostLanes() int { return signature.DefaultParams().Lanes }

// IsOpen reports whether the group of a head is open.
func (st state) IsOpen(head string) bool { return slices.Contains(st.Open, head) }

// pager is the links between pages.
type pager struct {
	state
	Pages int
}

// pagesOf returns how many pages so many items take.
func pagesOf(items int) int { return max(1, (items+pageSize-1)/pageSize) }

// Near are the page numbers to link to: the first, the last, and those around the
// page; 0 stands for a gap.
func (p pager) Near() (numbers []int) {
	for n := 1; n <= p.Pages; n++ {
		switch {
		case n == 1 || n == p.Pages || n >= p.Page-1 && n <= p.Page+1:
			numbers = append(numbers, n)
		case numbers[len(numbers)-1] != 0:
			numbers = append(numbers, 0)
		}
	}
	return numbers
}

// filtered returns st with another value for a filter, "" for none. Who chooses a project
// wants more than one result of it.
func (st state) filtered(field, value string) state {
	st.Filters = maps.Clone(st.Filters)
	delete(st.Filters, field)
	if value != "" {
		st.Filters[field] = value
		st.One = st.One && field != "project"
	}
	return st
}
