package backfill

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/util"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/plugin/indextype"
)

// Leave writes the documents of from, an index of type neardup, to to, a plain index whose
// mapping names nothing of this library's (PlainMapping makes one), or goes on with what
// was begun before, as Run does. from is not changed.
//
// The target then has what it would have if the documents had been written to it in the first place: signatures, tags,
// policy and marks are gone. Internal values of the application's own are copied. Options.Rejected is not called.
//
// How far Leave came is kept in the target until the last batch, which takes it away: a
// Leave after a stop goes on, and one after completion writes all documents once more.
func Leave(ctx context.Context, from, to bleve.Index, o Options) (Status, error) {
	r := &run{Options: o, to: to, leaving: true}
	return r.run(ctx, from)
}

// leavable returns the fields of the target, or an error if Leave cannot go there from source.
func leavable(source, target index.Index, m mapping.IndexMapping) (map[string]*fields, error) {
	if _, ok := source.(*indextype.Index); !ok {
		return nil, fmt.Errorf("backfill: source: wanted an index of type %q, got a %T", indextype.Name, source)
	}
	if _, ok := target.(*indextype.Index); ok {
		return nil, fmt.Errorf("backfill: target: wanted an index of another type than %q, such as bleve.New makes, got one of it", indextype.Name)
	}
	p, err := newPlain(m)
	if err == nil && p.met {
		err = errors.New("backfill: target: wanted a mapping that names nothing of this library's (PlainMapping makes one), got one that does")
	}
	if err != nil {
		return nil, err
	}
	return newFields(p.mapping), nil
}

// ownKey begins the keys of this library's internal values; some have a zero byte before it.
const ownKey = "neardup/"

// finish adds to the last batch of Leave what is left to do: the application's internal
// values, and to take back how far it came.
func (r *run) finish() {
	if snapshot, ok := r.source.(interface{ Internal() map[string][]byte }); ok {
		for key, value := range snapshot.Internal() {
			switch {
			case key == string(util.MappingInternalKey), key == string(util.TotBytesWrittenKey):
			case strings.HasPrefix(strings.TrimPrefix(key, "\x00"), ownKey):
			default:
				r.batch.SetInternal([]byte(key), value)
			}
		}
	}
	r.batch.DeleteInternal(r.key)
}
