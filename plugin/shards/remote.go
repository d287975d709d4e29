package shards

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/collapse/serve"
	"github.com/neardup/bleve-neardup/internal/ids"
	"github.com/neardup/bleve-neardup/internal/parts"
	"github.com/neardup/bleve-neardup/plugin/similar"
)

// Remote is a shard in another process: a bleve.Index of which SearchInContext, Search,
// Index and Delete go over HTTP, which is all that an alias, collapse.Search and
// similar.Search need. What else an Index has is that of an alias without members: an
// error.
type Remote struct {
	inner
	url     string
	options RemoteOptions
}

// inner is bleve.Index under a name that hides no method.
type inner = bleve.Index

// RemoteOptions says how a Remote asks.
type RemoteOptions struct {
	// Timeout is that of one try, 10 s if 0.
	Timeout time.Duration

	// Tries is how often what fails is tried, 1 if 0; 50 ms apart at first, then twice as
	// long each time. All requests may be repeated: they read, or write documents under
	// ids of their own. What a shard refuses is not repeated.
	Tries int

	// Key is what Authenticated asks for on the other side, if it is not empty.
	Key string

	// Client is http.DefaultClient if nil.
	Client *http.Client
}

// NewRemote returns the shard that Handler serves at url, under a name: url if it is empty.
// That is the name which everything that is found or fails there has.
func NewRemote(name, url string, o RemoteOptions) *Remote {
	o.Timeout = cmp.Or(o.Timeout, 10*time.Second)
	o.Tries = max(o.Tries, 1)
	o.Client = cmp.Or(o.Client, http.DefaultClient)
	r := &Remote{inner: bleve.NewIndexAlias(), url: url, options: o}
	r.SetName(cmp.Or(name, url))
	return r
}

// SearchInContext implements bleve.Index.
func (r *Remote) SearchInContext(ctx context.Context, request *bleve.SearchRequest) (res *bleve.SearchResult, err error) {
	if want := parts.In(ctx); want != nil {
		return r.rank(ctx, request, want)
	}
	err = r.Post(ctx, "/search", &serve.Request{SearchRequest: request}, func(answer []byte) error {
		var read collapse.Result
		if err := json.Unmarshal(answer, &read); err != nil {
			return err
		}
		res = read.SearchResult
		return Whole(res)
	})
	if err != nil {
		return nil, err
	}
	for _, hit := range res.Hits {
		if res.Status.Total == 1 {
			hit.Index = r.Name()
		}
		hit.Index = cmp.Or(hit.Index, r.Name())
	}
	return res, nil
}

// rank asks for what want wants.
func (r *Remote) rank(ctx context.Context, request *bleve.SearchRequest, want *parts.Want) (*bleve.SearchResult, error) {
	wanted, err := json.Marshal(want)
	if err != nil {
		return nil, err
	}
	ranked := new(parts.Answer)
	err = r.Post(ctx, "/rank?want="+url.QueryEscape(string(wanted)), &serve.Request{SearchRequest: request}, func(answer []byte) error {
		if err := ranked.UnmarshalBinary(answer); err != nil {
			return err
		}
		return Whole(ranked.SearchResult)
	})
	if err != nil {
		return nil, err
	}
	if ranked.Status.Total == 1 {
		ranked.Name(r.Name())
	}
	return want.Add(ranked, r.Name()), nil
}

// Whole returns an error for what is not the result of all that was asked, such as that
// of a part that failed. An empty object, from any server at an address, is no result
// without hits.
func Whole(res *bleve.SearchResult) error {
	if res == nil {
		return errors.New("wanted the result of a whole shard, got nil")
	}
	if res.Status != nil && res.Status.Successful > 0 && res.Status.Failed == 0 {
		return nil
	}
	if res.Status != nil {
		for _, err := range res.Status.Errors {
			return err
		}
	}
	return fmt.Errorf("wanted the result of a whole shard, got status %v", res.Status)
}

// Search implements bleve.Index.
func (r *Remote) Search(request *bleve.SearchRequest) (*bleve.SearchResult, error) {
	return r.SearchInContext(context.Background(), request)
}

// Nearest is as similar.Nearest.
func (r *Remote) Nearest(ctx context.Context, queries []similar.Query) (hits []*similar.Hit, err error) {
	err = r.Post(ctx, "/nearest", nearestRequest{queries}, func(answer []byte) error {
		var a nearestAnswer
		if err := json.Unmarshal(answer, &a); err != nil {
			return err
		}
		if a.Hits == nil || len(a.Hits) != len(queries) {
			return fmt.Errorf("wanted answers to %d queries, got %d", len(queries), len(a.Hits))
		}
		hits = a.Hits
		return nil
	})
	for _, hit := range hits {
		if hit != nil {
			hit.Index = r.Name()
		}
	}
	return hits, err
}

// Index implements bleve.Index. The document is what JSON makes of data.
func (r *Remote) Index(id string, data any) error { return r.write(map[string]any{id: data}) }

// Delete implements bleve.Index.
func (r *Remote) Delete(id string) error { return r.write(map[string]any{id: nil}) }

// write is as the function write, on the other side.
func (r *Remote) write(docs map[string]any) error {
	return r.Post(context.Background(), "/docs", ids.Map[any](docs), func(answer []byte) error {
		var a writeAnswer
		if err := json.Unmarshal(answer, &a); err != nil || a.Written != len(docs) {
			return fmt.Errorf("wanted %d documents written, got %d: %w", len(docs), a.Written, cmp.Or(err, errUnwritten))
		}
		return nil
	})
}

// ErrRefused says that the shard understood the request and will not have it: to try
// again is of no use.
var ErrRefused = errors.New("refused")

// invalid is an error that wraps collapse.ErrRequest without repeating it: what asks for
// too much of a shard is the client's fault.
type invalid struct{ error }

func (e invalid) Unwrap() []error { return []error{e.error, collapse.ErrRequest} }

// errUnwritten: whatever answers is not the shard.
var errUnwritten = errors.New("no word of the others")

// Post posts a request as JSON, to a path below that of the shard, until read can make
// something of the answer. It serves who adds requests to those of Handler.
func (r *Remote) Post(ctx context.Context, path string, request any, read func(answer []byte) error) error {
	if ctx == nil {
		return fmt.Errorf("shard %q: wanted a context, got nil", r.Name())
	}
	body, err := json.Marshal(request)
	if err != nil {
		return err
	}
	wait := 50 * time.Millisecond
	for n := range r.options.Tries {
		if n > 0 {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(wait):
			}
			wait *= 2
		}
		var answer []byte
		answer, err = r.once(ctx, path, body)
		if err == nil {
			err = read(answer)
		}
		if err == nil || errors.Is(err, ErrRefused) || ctx.Err() != nil {
			break
		}
	}
	if err != nil {
		return fmt.Errorf("shard %q: %w", r.Name(), err)
	}
	return nil
}

func (r *Remote) once(ctx context.Context, path string, body []byte) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, r.options.Timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, r.url+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	if r.options.Key != "" {
		request.Header.Set("Authorization", bearer+r.options.Key)
	}
	response, err := r.options.Client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	answer, err := read(response)
	switch {
	case err != nil:
		return nil, err
	case response.StatusCode/100 == 4:
		err := fmt.Errorf("%w: %s: %s", ErrRefused, response.Status, bytes.TrimSpace(answer))
		if response.StatusCode == http.StatusBadRequest {
			err = invalid{err}
		}
		return nil, err
	case response.StatusCode/100 != 2:
		return nil, fmt.Errorf("%s: %s", response.Status, bytes.TrimSpace(answer))
	}
	return answer, nil
}

// read reads the body.
func read(r *http.Response) ([]byte, error) {
	if r.ContentLength < 0 {
		return io.ReadAll(r.Body)
	}
	var b bytes.Buffer
	b.Grow(int(min(r.ContentLength, MaxBody)) + bytes.MinRead) // or it would grow at the end
	_, err := b.ReadFrom(r.Body)
	return b.Bytes(), err
}
