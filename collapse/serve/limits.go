package serve

import (
	"cmp"
	"fmt"

	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/internal/strict"
)

// Limits are what one request may ask for. The zero Limits are the defaults, and a
// negative number is no limit. A request beyond one of them is an Exceeded: each cost that a
// limit bounds is compared with it by itself, in the units that are named here.
type Limits struct {
	// Body is the most bytes of a request, 1 MiB if 0.
	Body int `json:"body,omitempty"`

	// Depth is how many objects and arrays may be within each other, 100 if 0: bleve
	// reads a query within a query again at each level.
	Depth int `json:"depth,omitempty"`

	// Clauses is how many queries may stand in the query, of all kinds and at all depths, 1,000 if 0. Each object in the
	// query counts, and each element of a list. For each of them the query may list ten ids, and have ten bytes of query
	// strings, which bleve parses in quadratic time, and a hundred bytes of other strings, but for the texts of
	// near-duplicate queries. n custom filters, such as these and collapse.Query, count as 100 x 2^n clauses: within each
	// other, each has the work of the next done twice.
	Clauses int `json:"clauses,omitempty"`

	// Terms is how many terms bleve may look up in one index, 1,000 if 0: the words of matches and phrases, and all terms
	// that a prefix, wildcard, regexp, fuzzy word or range stands for. For each 50 of them, and the rest, bleve may walk
	// through the terms of a field once, as for each prefix, wildcard, regexp, range and fuzzy word (one of more than 25
	// bytes counts as two terms a byte). For each term, the automata of regexps and wildcards may take ten steps: a step
	// is a range of letters that leads on from a state, counted for each way to the state. *foo*bar* takes some 50 steps.
	// What collapse.Query has within counts twice where matches are explained, located or highlighted.
	Terms int `json:"terms,omitempty"`

	// Hits is the most hits that a page may reach to, those that From skips included; of
	// inner hits and explained members per group; of shingles in an explanation's
	// list; and of nearest vectors; 1,000 if 0.
	Hits int `json:"hits,omitempty"`

	// Budget is the most hits that collapsing may look at, 10,000 if 0: Options.Budget,
	// also of a collapse.Query, the window of score fusion, and the place of a cursor.
	Budget int `json:"budget,omitempty"`

	// Loads is how many stored fields may be loaded beside the fields of the page, 10,000 if 0:
	// groups times inner hits times their fields, highlighted ones included; groups
	// times explained members; and the texts that Verify compares.
	Loads int `json:"loads,omitempty"`

	// Fields is how many stored fields may be named, in the request and in each of its inner hits; 100 if 0. For
	// each ten of them, and the rest, one field may be highlighted, a sort order may have one part, and hits may be
	// grouped by one field.
	Fields int `json:"fields,omitempty"`

	// Values is how many terms the fields of all facets may have in one index, 200,000 if 0. For each 10,000 of them there
	// may be one facet, and for each ten one range of a facet. For each 20 bleve may read the terms of one document into
	// memory, and keep them, because a sort order, a facet, Within or By names a field without doc values.
	Values int `json:"values,omitempty"`
}

// What one of a kind costs of the limit that it is compared with; or how many of a kind cost one.
const (
	idsPerClause   = 10
	queryPerClause = 10
	textPerClause  = 100
	perFilter      = 100
	perPattern     = 50
	stepsPerTerm   = 10
	perHighlight   = 10
	perSort        = 10
	perFacet       = 10_000
	perRange       = 10
	perUninverted  = 20
)

// UnmarshalJSON implements json.Unmarshaler. Unknown members are errors.
func (l *Limits) UnmarshalJSON(data []byte) error {
	type plain Limits
	return strict.Fill("limits", data, (*plain)(l))
}

// filled returns l with the defaults filled in.
func (l Limits) filled() Limits {
	return Limits{
		Body: cmp.Or(l.Body, 1<<20), Depth: cmp.Or(l.Depth, 100),
		Clauses: cmp.Or(l.Clauses, 1000), Terms: cmp.Or(l.Terms, 1000), Hits: cmp.Or(l.Hits, 1000), Budget: cmp.Or(l.Budget, defaultBudget), Loads: cmp.Or(l.Loads, 10_000),
		Fields: cmp.Or(l.Fields, 100), Values: cmp.Or(l.Values, 200_000),
	}
}

// Exceeded is the error for a request beyond a limit. It wraps collapse.ErrRequest.
type Exceeded struct {
	// Limit is the name of the limit, as in the JSON of Limits.
	Limit string
	// Most is the limit, and Got what the request asks for in its units, or at least asks for if that
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

// within returns an Exceeded if got is more than the limit of that name. What a request says by a number of its own
// can be as large as an int, so what is made of several is a float64.
func within[N int | float64](limit string, most int, got N) error {
	if most < 0 || got <= N(most) {
		return nil
	}
	return &Exceeded{Limit: limit, Most: most, Got: int(min(float64(got), 1<<30))}
}

// over returns how many are counted for n of which one counts for per, rounded up.
func over(n, per int) int { return (n + per - 1) / per }

// begun returns what n cost of which the limit may have one for each per, and for the rest: one is always within it.
func begun(n, per int) int { return max(0, (n-1)*per+1) }
