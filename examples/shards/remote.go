package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/blevesearch/bleve/v2"
)

// remote is a shard in another process: a bleve.Index of which SearchInContext,
// Index and Delete go over HTTP, which is all that an alias, collapse.Search and
// similar.Search need. What else an Index has is that of an alias without members:
// an error.
type remote struct {
	inner
	url     string
	timeout time.Duration // of one try
	tries   int
	client  *http.Client
}

// inner is bleve.Index under a name that hides no method.
type inner = bleve.Index

// newRemote returns the shard that serve serves at url. A try that takes longer than
// timeout has failed; requests are tried so many times, 50 ms apart at first. All of
// them may be repeated: they read, or write documents under ids of their own.
func newRemote(name, url string, timeout time.Duration, tries int) *remote {
	r := &remote{inner: bleve.NewIndexAlias(), url: url, timeout: timeout, tries: tries, client: http.DefaultClient}
	r.SetName(name)
	return r
}

// SearchInContext implements bleve.Index.
func (r *remote) SearchInContext(ctx context.Context, request *bleve.SearchRequest) (*bleve.SearchResult, error) {
	body, err := json.Marshal(request)
	if err != nil {
		return nil, err
	}
	var res *bleve.SearchResult
	return res, r.try(ctx, "/search", body, func(answer []byte) error {
		res = new(bleve.SearchResult)
		if err := json.Unmarshal(answer, res); err != nil {
			return err
		}
		// An empty object, from whoever answers at this address, is no result without hits.
		if res.Status == nil || res.Status.Successful != 1 || res.Status.Failed != 0 {
			return fmt.Errorf("wanted the result of one index, got status %v", res.Status)
		}
		return nil
	})
}

// Search implements bleve.Index.
func (r *remote) Search(request *bleve.SearchRequest) (*bleve.SearchResult, error) {
	return r.SearchInContext(context.Background(), request)
}

// Index implements bleve.Index. The document is what JSON makes of data.
func (r *remote) Index(id string, data any) error { return r.write(map[string]any{id: data}) }

// Delete implements bleve.Index.
func (r *remote) Delete(id string) error { return r.write(map[string]any{id: nil}) }

// write is as the function write, on the other side.
func (r *remote) write(docs map[string]any) error {
	body, err := json.Marshal(docs)
	if err != nil {
		return err
	}
	return r.try(context.Background(), "/docs", body, func(answer []byte) error {
		var written struct{ Written int }
		if err := json.Unmarshal(answer, &written); err != nil || written.Written != len(docs) {
			return fmt.Errorf("wanted %d documents written, got %d: %w", len(docs), written.Written, cmp.Or(err, errUnwritten))
		}
		return nil
	})
}

// errRefused says that the shard understood the request and will not have it: to try
// again is of no use.
var errRefused = errors.New("refused")

// errUnwritten: whatever answers is not the shard.
var errUnwritten = errors.New("no word of the others")

// try posts a request until read can make something of the answer.
func (r *remote) try(ctx context.Context, path string, body []byte, read func([]byte) error) (err error) {
	wait := 50 * time.Millisecond
	for n := range r.tries {
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
		if err == nil || errors.Is(err, errRefused) || ctx.Err() != nil {
			break
		}
	}
	if err != nil {
		return fmt.Errorf("shard %q: %w", r.Name(), err)
	}
	return nil
}

func (r *remote) once(ctx context.Context, path string, body []byte) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, r.timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, r.url+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := r.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	switch {
	case err != nil:
		return nil, err
	case response.StatusCode/100 == 4:
		return nil, fmt.Errorf("%w: %s: %s", errRefused, response.Status, bytes.TrimSpace(answer))
	case response.StatusCode/100 != 2:
		return nil, fmt.Errorf("%s: %s", response.Status, bytes.TrimSpace(answer))
	}
	return answer, nil
}
