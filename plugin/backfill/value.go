package backfill

import (
	"encoding/json"
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
	"github.com/blevesearch/bleve/v2/geo"
	index "github.com/blevesearch/bleve_index_api"
)

// Values are put back where bleve found them: a path of properties, and positions in
// arrays. Which of the properties were the arrays is not known and makes no difference
// to the mapping, so the last of the path is taken for all of them:
// {"a": [{"b": 1}, {"b": 2}]} becomes {"a": {"b": [1, 2]}}.

// property is a property of a document.
type property struct {
	slot
	below map[string]*property
}

// slot is a place for a value: of a property, or of an element of an array there.
type slot struct {
	value any
	items map[uint64]*slot
}

// at returns the property at a path.
func (p *property) at(path []string) *property {
	for _, name := range path {
		if p.below[name] == nil {
			if p.below == nil {
				p.below = map[string]*property{}
			}
			p.below[name] = new(property)
		}
		p = p.below[name]
	}
	return p
}

// add adds a value. Several fields of one property hold the same value; if two properties have one path, such as
// {"a": {"b": 1}, "a.b": 2}, rebuilder.compare misses what is not kept here.
func (s *slot) add(positions []uint64, v any) {
	for _, i := range positions {
		if s.items[i] == nil {
			if s.items == nil {
				s.items = map[uint64]*slot{}
			}
			s.items[i] = new(slot)
		}
		s = s.items[i]
	}
	_, made := s.value.(derived)
	if _, text := v.(string); s.value == nil || made && text {
		s.value = v
	}
}

// derived is a value that bleve may have made from a string; if that is stored too, it
// is the original.
type derived struct{ value any }

// point is a geographical point. Unlike a map it has no properties that a dynamic
// mapping would index.
type point struct{ lon, lat float64 }

func (p point) Lon() float64 { return p.lon }
func (p point) Lat() float64 { return p.lat }

// properties returns the properties below p, as a document has them.
func (p *property) properties() map[string]any {
	m := make(map[string]any, len(p.below))
	for name, q := range p.below {
		m[name] = q.value()
	}
	return m
}

func (p *property) value() any {
	own, below := p.slot.get(), p.properties()
	switch v := own.(type) {
	case nil:
		if len(below) > 0 {
			return below
		}
	case map[string]any: // a shape, whose type is stored in lower case; a field of the type has it as it was
		if text, ok := below["type"].(string); ok && strings.EqualFold(text, fmt.Sprint(v["type"])) {
			v["type"] = text
		}
	case point:
		if _, _, ok := geo.ExtractGeoPoint(below); ok { // the point comes from them
			return below
		}
	}
	return own
}

// get returns the value at s, or else the array of those below it; nil if there is neither.
func (s *slot) get() any {
	switch v := s.value.(type) {
	case nil:
	case derived:
		return v.value
	default:
		return v
	}
	if len(s.items) == 0 {
		return nil
	}
	list := make([]any, slices.Max(slices.Collect(maps.Keys(s.items)))+1)
	for i, item := range s.items {
		list[i] = item.get()
	}
	return list
}

// halfCell leads from the corner of a cell of bleve's grid of points, which is what is
// stored, into the cell, so that rounding cannot lead to another one.
const halfCell = .5 / (1 << 32)

// decode returns the value of a stored field.
func decode(f index.Field) (any, error) {
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
	case *document.GeoPointField:
		lon, err := f.Lon()
		if err != nil {
			return nil, err
		}
		lat, err := f.Lat()
		return derived{point{lon + halfCell*360, lat + halfCell*180}}, err
	case *document.GeoShapeField:
		s := map[string]any{}
		return s, json.Unmarshal(f.Value(), &s)
	}
	return nil, fmt.Errorf("wanted a value of a type that can be rebuilt, got a %T", f)
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
