package shards

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/hits"
	"github.com/neardup/bleve-neardup/internal/leftout"
	"github.com/neardup/bleve-neardup/plugin/cluster/internal/rpc"
)

// Remote is a shard in another process: a bleve.Index whose SearchInContext, Search, Index and
// Delete go over HTTP. An alias, collapse.Search, near.Similar and near.Passages need no more. All other methods
// of an Index return an error, as an alias without members does.
type Remote struct {
	inner
	client rpc.Client
}

// inner is bleve.Index under a name that hides no method.
type inner = bleve.Index

// RemoteOptions says how a Remote asks.
type RemoteOptions struct {
	// Timeout is how long one try may take, 10 s if 0.
	Timeout time.Duration

	// Tries is how often what fails is tried, 1 if 0; 50 ms apart at first, then twice as
	// long each time. All requests may be repeated: they read, or write documents under
	// ids of their own. What a shard rejects is not repeated.
	Tries int

	// Key is what Authenticated asks for on the other side, if it is not empty.
	Key string

	// Client is http.DefaultClient if nil.
	Client *http.Client
}

// NewRemote returns the shard that Handler serves at url, under a name: url if it is empty.
// That is the name which everything that is found or fails there has.
func NewRemote(name, url string, o RemoteOptions) *Remote {
	name = cmp.Or(name, url)
	r := &Remote{inner: bleve.NewIndexAlias()}
	r.SetName(name)
	r.client = rpc.Client{Name: name, URL: url, Timeout: o.Timeout, Tries: o.Tries, Key: o.Key, HTTP: o.Client}
	return r
}

// Rank implements hits.Ranker.
func (r *Remote) Rank(ctx context.Context, request *bleve.SearchRequest, o *hits.Options, visible int) (*hits.Answer, error) {
	return r.asked().Rank(ctx, request, rpc.WantOf(o, visible))
}

// SearchInContext implements bleve.Index.
func (r *Remote) SearchInContext(ctx context.Context, request *bleve.SearchRequest) (*bleve.SearchResult, error) {
	return r.asked().Search(ctx, request)
}

// Search implements bleve.Index.
func (r *Remote) Search(request *bleve.SearchRequest) (*bleve.SearchResult, error) {
	return r.SearchInContext(context.Background(), request)
}

// GetInternal implements bleve.Index for what the shard leaves out of signatures. Other keys are an error.
func (r *Remote) GetInternal(key []byte) (value []byte, err error) {
	field, ok := strings.CutPrefix(string(key), leftout.Prefix)
	if !ok {
		return r.inner.GetInternal(key)
	}
	a, err := rpc.Ask(context.Background(), r.asked(), "/templates", fieldRequest{field}, func(a *templatesAnswer) error {
		if a.Field != field {
			return fmt.Errorf("wanted the templates of field %q, got those of %q", field, a.Field)
		}
		return nil
	})
	return a.Templates, err
}

// FieldRule is the rule of a fingerprinted field, as the mapping of the shard has it. It is asked for with each search by
// collapse.Search or near.Similar where no mapping can be read in this process: an alias of Remotes without a mapping of its own.
func (r *Remote) FieldRule(ctx context.Context, field string) (signature.Rule, error) {
	a, err := rpc.Ask(ctx, r.asked(), "/rule", fieldRequest{field}, func(a *ruleAnswer) error {
		if a.Rule == nil {
			return errors.New("wanted a rule, got none")
		}
		return nil
	})
	if err != nil {
		return signature.Rule{}, err
	}
	return *a.Rule, nil
}

// Index implements bleve.Index. The document is what JSON makes of data.
func (r *Remote) Index(id string, data any) error { return r.write(map[string]any{id: data}, nil) }

// Delete implements bleve.Index.
func (r *Remote) Delete(id string) error { return r.write(map[string]any{id: nil}, nil) }

// write is as the function write, on the other side.
func (r *Remote) write(docs map[string]any, groups map[string]string) error {
	for id := range docs {
		if !utf8.ValidString(id) {
			return fmt.Errorf("document %q: wanted an id in UTF-8", id)
		}
	}
	path, request := "/docs", any(docs)
	if len(groups) > 0 {
		path, request = "/named", namedRequest{docs, groups}
	}
	_, err := rpc.Ask(context.Background(), r.asked(), path, request, func(a *writeAnswer) error {
		if a.Written != len(docs) { // whatever answers is not the shard
			return fmt.Errorf("wanted %d documents written, got %d confirmed", len(docs), a.Written)
		}
		return nil
	})
	return err
}

// ErrRejected says that the shard understood the request and rejects it: to try again is of
// no use.
var ErrRejected = rpc.ErrRejected

// asked is the client of the shard, which might have another name by now.
func (r *Remote) asked() *rpc.Client {
	c := r.client
	c.Name = r.Name()
	return &c
}
