package backfill

import (
	"fmt"
	"maps"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/blevesearch/bleve/v2/analysis/datetime/timestamp/microseconds"
	"github.com/blevesearch/bleve/v2/analysis/datetime/timestamp/milliseconds"
	"github.com/blevesearch/bleve/v2/analysis/datetime/timestamp/nanoseconds"
	"github.com/blevesearch/bleve/v2/analysis/datetime/timestamp/seconds"
	"github.com/blevesearch/bleve/v2/document"
	index "github.com/blevesearch/bleve_index_api"
)

// Values are put back where bleve found them: a path of properties, and positions in
// arrays. Which of the properties were the arrays is not known and makes no difference
// to the mapping, so the last of the path is taken for all of them:
// {"a": [{"b": 1}, {"b": 2}]} becomes {"a": {"b": [1, 2]}}.

// property is a property of a document, or an element of an array there.
type property struct {
	value any
	items map[uint64]*property
	below map[string]*property
}

// entry returns the property at a key, which it makes if there is none.
func entry[K comparable](all *map[K]*property, key K) *property {
	if *all == nil {
		*all = map[K]*property{}
	}
	if (*all)[key] == nil {
		(*all)[key] = new(property)
	}
	return (*all)[key]
}

// add adds a value at a path and positions in arrays. Several fields of one property hold the same value; if two
// properties have one path, such as {"a": {"b": 1}, "a.b": 2}, rebuilder.compare misses what is not kept here.
func (p *property) add(path []string, positions []uint64, v any) {
	for _, name := range path {
		p = entry(&p.below, name)
	}
	for _, i := range positions {
		p = entry(&p.items, i)
	}
	_, made := p.value.(derived)
	if _, text := v.(string); p.value == nil || made && text {
		p.value = v
	}
}

// derived is a value that bleve may have made from a string; if that is stored too, it
// is the original.
type derived struct{ value any }

// properties returns the properties below p, as a document has them.
func (p *property) properties() map[string]any {
	m := make(map[string]any, len(p.below))
	for name, q := range p.below {
		m[name] = q.get()
	}
	return m
}

// get returns the value of a property, or else the properties below it; nil if there is neither.
func (p *property) get() any {
	own, below := p.own(), p.properties()
	if own == nil && len(below) > 0 {
		return below
	}
	return own
}

// own returns the value at p, or else the array of its elements; nil if there is neither.
func (p *property) own() any {
	switch v := p.value.(type) {
	case nil:
	case derived:
		return v.value
	default:
		return v
	}
	if len(p.items) == 0 {
		return nil
	}
	list := make([]any, slices.Max(slices.Collect(maps.Keys(p.items)))+1)
	for i, item := range p.items {
		list[i] = item.own()
	}
	return list
}

// decode returns the value of a stored field, nil if its type is not among storable.
func decode(f index.Field) (any, error) {
	if at := f.ArrayPositions(); len(at) > 0 && slices.Max(at) >= 1<<24 { // of a damaged file
		return nil, fmt.Errorf("wanted arrays of at most %d elements, got a value at place %d", 1<<24, slices.Max(at))
	}
	switch f := f.(type) {
	case *document.TextField:
		return f.Text(), nil
	case *document.NumericField:
		return f.Number()
	case *document.BooleanField:
		return f.Boolean()
	case *document.DateTimeField:
		t, layout, err := f.DateTime()
		if err != nil || layout == time.RFC3339 {
			return derived{t}, err
		}
		return derived{format(t, layout)}, nil
	case *document.IPField:
		return derived{net.IP(f.Value()).String()}, nil
	}
	return nil, nil
}

// format writes a time as it was read.
func format(t time.Time, layout string) string {
	switch layout {
	case seconds.Name:
		return strconv.FormatInt(t.Unix(), 10)
	case milliseconds.Name:
		return strconv.FormatInt(t.UnixMilli(), 10)
	case microseconds.Name:
		return strconv.FormatInt(t.UnixMicro(), 10)
	case nanoseconds.Name:
		return strconv.FormatInt(t.UnixNano(), 10)
	}
	// time.Parse takes a fraction of a second where the layout has none.
	if t.Nanosecond() != 0 && !strings.Contains(layout, "05.") && !strings.Contains(layout, "05,") {
		layout = strings.Replace(layout, "05", "05.999999999", 1)
	}
	return t.Format(layout)
}
