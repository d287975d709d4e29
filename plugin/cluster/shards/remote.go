package shards

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/collapse/serve"
	"github.com/neardup/bleve-neardup/internal/leftout"
	"github.com/neardup/bleve-neardup/internal/strict"
	"github.com/neardup/bleve-neardup/plugin/cluster/internal/rpc"
	"github.com/neardup/bleve-neardup/plugin/near"
)

// Remote is a shard in another process: a bleve.Index whose SearchInContext, Search, Index and
// Delete go over HTTP. An alias, collapse.Search, near.Similar and near.Passages need no more. All other methods
// of an Index return an error, as an alias without members does.
type Remote struct {
	inner
	client rpc.Client

	mu    sync.Mutex
	rules map[string]signature.Rule // by field, as the shard named them
	since time.Time                 // the first of these
}

// ruleAge is how long a rule is not asked for again, and mostRules how many are kept: names of fields
// come with requests, and can be anything.
const (
	ruleAge   = time.Minute
	mostRules = 100
)

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

// SearchInContext implements bleve.Index.
func (r *Remote) SearchInContext(ctx context.Context, request *bleve.SearchRequest) (*bleve.SearchResult, error) {
	return r.asked().Search(ctx, request)
}

// Search implements bleve.Index.
func (r *Remote) Search(request *bleve.SearchRequest) (*bleve.SearchResult, error) {
	return r.SearchInContext(context.Background(), request)
}

// Passages is near.Passages there, of what near.PassagesRequestOf makes of the request.
func (r *Remote) Passages(ctx context.Context, request *bleve.SearchRequest) (*near.PassagesResult, error) {
	asked := &serve.Request{SearchRequest: request}
	res, err := rpc.Ask(ctx, r.asked(), "/passages", asked, func(a *near.PassagesResult) error {
		return rpc.Whole(a.Status)
	})
	if err != nil {
		return nil, err
	}
	for i := range res.Hits {
		if res.Status.Total == 1 || res.Hits[i].Index == "" {
			res.Hits[i].Index = r.Name()
		}
	}
	return &res, nil
}

// PassagesOf is near.ReadPassages there.
func (r *Remote) PassagesOf(ctx context.Context, q near.PassagesQuery) (found *near.PassagesQuery, err error) {
	request := &serve.Request{SearchRequest: bleve.NewSearchRequest(&q)}
	a, err := rpc.Ask(ctx, r.asked(), "/passages/document", request, func(a *rpc.PassagesDocument) error {
		if !a.Asked || a.Query != nil && a.Query.ID != q.ID {
			return fmt.Errorf("wanted to hear of document %q, got another answer", q.ID)
		}
		return nil
	})
	return a.Query, err
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

// FieldRule is the rule of a fingerprinted field, as the mapping of the shard has it. It is asked
// for once a minute. collapse.Search and near.Similar need it where no mapping can be read in
// this process: an alias of Remotes without a mapping of its own.
func (r *Remote) FieldRule(ctx context.Context, field string) (signature.Rule, error) {
	r.mu.Lock()
	if time.Since(r.since) > ruleAge || len(r.rules) >= mostRules {
		r.rules, r.since = map[string]signature.Rule{}, time.Now()
	}
	rule, ok := r.rules[field]
	r.mu.Unlock()
	if ok {
		return rule, nil
	}
	a, err := rpc.Ask(ctx, r.asked(), "/rule", fieldRequest{field}, func(a *ruleAnswer) error {
		if a.Rule == nil {
			return errors.New("wanted a rule, got none")
		}
		return nil
	})
	if err != nil {
		return signature.Rule{}, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.rules[field] = *a.Rule
	return *a.Rule, nil
}

// Index implements bleve.Index. The document is what JSON makes of data.
func (r *Remote) Index(id string, data any) error { return r.write(map[string]any{id: data}) }

// Delete implements bleve.Index.
func (r *Remote) Delete(id string) error { return r.write(map[string]any{id: nil}) }

// write is as the function write, on the other side.
func (r *Remote) write(docs map[string]any) error {
	_, err := rpc.Ask(context.Background(), r.asked(), "/docs", strict.Map[any](docs), func(a *writeAnswer) error {
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
