package serve

import (
	"cmp"
	"fmt"

	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/internal/strict"
)

// Limits are what one request may ask for. The zero Limits are the defaults, and a
// negative number is no limit. A request beyond one of them is an Exceeded.
type Limits struct {
	// Body is the most bytes of a request, 1 MiB if 0.
	Body int `json:"body,omitempty"`

	// Depth is how many objects and arrays may be within each other, 100 if 0: bleve
	// reads a query within a query again at each level.
	Depth int `json:"depth,omitempty"`

	// Text is the most bytes of all strings in the query but ids, the texts of near-duplicate
	// queries included, 256 KiB if 0; QueryString the bytes of one query string, which bleve parses in
	// quadratic time, 10,000 if 0.
	Text        int `json:"text,omitempty"`
	QueryString int `json:"query_string,omitempty"`

	// Clauses is how many queries may stand in the query, of all kinds and at all depths,
	// 1,000 if 0. Each object in the query counts, and each element of a list.
	Clauses int `json:"clauses,omitempty"`

	// IDs is how many ids the query may list, 10,000 if 0.
	IDs int `json:"ids,omitempty"`

	// Filters is how many custom filters may stand in the query, such as near-duplicate
	// queries and collapse.Query, 3 if 0. Each may take memory for every match.
	Filters int `json:"filters,omitempty"`

	// Terms is how many terms bleve may look up in one index, 1,000 if 0: the words of
	// matches and phrases, and all terms that a prefix, wildcard, regexp, fuzzy word or
	// range stands for. What collapse.Query has within counts twice where matches are
	// explained, located or highlighted.
	Terms int `json:"terms,omitempty"`

	// Patterns is how often bleve may walk through the terms of a field, 20 if 0: once for
	// each prefix, wildcard, regexp, fuzzy word and range.
	Patterns int `json:"patterns,omitempty"`

	// TermBytes is the most bytes of a term or pattern, 500 if 0.
	TermBytes int `json:"term_bytes,omitempty"`

	// Automata bounds what regexps and wildcards are compiled to, 10,000 if 0: for each state
	// of their deterministic automata, and each letter that is told apart there, as many as
	// ranges of letters lead out of the next state; all together. *foo*bar* is some 50.
	Automata int `json:"automata,omitempty"`

	// Boost is the greatest boost, 1,000,000 if 0; its inverse is the least but 0. Others
	// lead to scores that are no numbers.
	Boost float64 `json:"boost,omitempty"`

	// Hits is the most hits that a page may reach to, those that From skips included; of
	// inner hits and explained members per group; and of shingles in an explanation's
	// list; 1,000 if 0. With Diversify a page reaches to 50 at least.
	Hits int `json:"hits,omitempty"`

	// Budget is the most hits that collapsing may look at, 10,000 if 0: Options.Budget,
	// also of a collapse.Query, the window of score fusion and the heads of a cursor.
	Budget int `json:"budget,omitempty"`

	// Taken is the greatest number in a cursor, 100,000 if 0.
	Taken int `json:"taken,omitempty"`

	// Loads is how many stored fields may be loaded beside the fields of the page, 10,000 if 0:
	// groups times inner hits times their fields, highlighted ones included; and groups
	// times explained members.
	Loads int `json:"loads,omitempty"`

	// Texts is how many texts Verify may compare, 10,000 if 0: it is the budget of what is verified.
	Texts int `json:"texts,omitempty"`

	// Fields is how many stored fields may be named, and Highlights how many of them to
	// highlight, in the request and in each of its inner hits; 100 and 10 if 0.
	Fields     int `json:"fields,omitempty"`
	Highlights int `json:"highlights,omitempty"`

	// SortFields is how many parts a sort order may have, 10 if 0; and by how many fields hits
	// may be grouped: the fields of Options.Within and Options.By together.
	SortFields int `json:"sort_fields,omitempty"`

	// Facets is how many facets there may be, 20 if 0; FacetSize how many terms or ranges
	// one of them may have, 1,000 if 0; and FacetTerms how many terms all their fields may
	// have in one index, since each is counted, 200,000 if 0.
	Facets     int `json:"facets,omitempty"`
	FacetSize  int `json:"facet_size,omitempty"`
	FacetTerms int `json:"facet_terms,omitempty"`

	// Uninverted is of how many documents bleve may read terms into memory, and keep them
	// there, because a sort order, a facet, Within or By names a field without doc values; 10,000 if 0.
	Uninverted int `json:"uninverted,omitempty"`

	// Neighbours is how many nearest vectors may be asked for, 1,000 if 0: the sum of k.
	Neighbours int `json:"neighbours,omitempty"`
}

// UnmarshalJSON implements json.Unmarshaler. Unknown members are errors.
func (l *Limits) UnmarshalJSON(data []byte) error {
	type plain Limits
	return strict.Fill("limits", data, (*plain)(l))
}

// filled returns l with the defaults filled in.
func (l Limits) filled() Limits {
	return Limits{
		Body: cmp.Or(l.Body, 1<<20), Depth: cmp.Or(l.Depth, 100),
		Text: cmp.Or(l.Text, 256<<10), QueryString: cmp.Or(l.QueryString, 10_000),
		Clauses: cmp.Or(l.Clauses, 1000), IDs: cmp.Or(l.IDs, 10_000), Filters: cmp.Or(l.Filters, 3),
		Terms: cmp.Or(l.Terms, 1000), Patterns: cmp.Or(l.Patterns, 20),
		TermBytes: cmp.Or(l.TermBytes, 500), Automata: cmp.Or(l.Automata, 10_000), Boost: cmp.Or(l.Boost, 1e6),
		Hits: cmp.Or(l.Hits, 1000), Budget: cmp.Or(l.Budget, defaultBudget), Taken: cmp.Or(l.Taken, 100_000),
		Loads: cmp.Or(l.Loads, 10_000), Texts: cmp.Or(l.Texts, 10_000), Fields: cmp.Or(l.Fields, 100), Highlights: cmp.Or(l.Highlights, 10),
		SortFields: cmp.Or(l.SortFields, 10), Facets: cmp.Or(l.Facets, 20), FacetSize: cmp.Or(l.FacetSize, 1000),
		FacetTerms: cmp.Or(l.FacetTerms, 200_000), Uninverted: cmp.Or(l.Uninverted, 10_000), Neighbours: cmp.Or(l.Neighbours, 1000),
	}
}

// Exceeded is the error for a request beyond a limit. It wraps collapse.ErrRequest.
type Exceeded struct {
	// Limit is the name of the limit, as in the JSON of Limits.
	Limit string
	// Most is the limit, and Got what the request asks for, or at least asks for if that
	// was not counted to the end.
	Most, Got int
	Uncounted bool
}

// Error implements error.
func (e *Exceeded) Error() string {
	if e.Uncounted {
		return fmt.Sprintf("limit %s: wanted at most %d, got %d or more, at least %d too many", e.Limit, e.Most, e.Got, e.Got-e.Most)
	}
	return fmt.Sprintf("limit %s: wanted at most %d, got %d, %d too many", e.Limit, e.Most, e.Got, e.Got-e.Most)
}

// Unwrap returns collapse.ErrRequest.
func (e *Exceeded) Unwrap() error { return collapse.ErrRequest }

// within returns an Exceeded if got is more than the limit of that name.
func within(limit string, most, got int) error {
	if most < 0 || got <= most {
		return nil
	}
	return &Exceeded{Limit: limit, Most: most, Got: got}
}

// add returns a+b for counts, which stay below the greatest number.
func add(a, b int) int {
	const most = 1 << 30
	return min(min(max(a, 0), most)+min(max(b, 0), most), most)
}

// times returns a*b for counts, which stay below the greatest number.
func times(a, b int) int {
	const most = 1 << 30
	a, b = max(a, 0), max(b, 0)
	if b != 0 && a > most/b {
		return most
	}
	return a * b
}
