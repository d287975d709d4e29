package rpc

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/collapse/serve"
	"github.com/neardup/bleve-neardup/plugin/near"
)

// Bearer begins the header Authorization.
const Bearer = "Bearer "

// Client asks one shard. Its fields are as in shards.RemoteOptions.
type Client struct {
	Name, URL string
	Timeout   time.Duration // of one try; 10 s if 0
	Tries     int           // 1 if 0
	Key       string
	HTTP      *http.Client // http.DefaultClient if nil
}

// ErrRejected says that the shard understood the request and rejects it: to try again is of
// no use.
var ErrRejected = errors.New("rejected")

// Post posts a request as JSON, to a path below the URL of the shard, until read can make
// something of the answer.
func (c *Client) Post(ctx context.Context, path string, request any, read func(answer []byte) error) error {
	if ctx == nil {
		return fmt.Errorf("shard %q: wanted a context, got nil", c.Name)
	}
	body, err := json.Marshal(request)
	if err != nil {
		return err
	}
	for n := 1; ; n++ {
		answer, err := c.once(ctx, path, body)
		if err == nil {
			err = read(answer)
		}
		switch {
		case err == nil:
			return nil
		case n >= c.Tries || errors.Is(err, ErrRejected) || ctx.Err() != nil:
			return fmt.Errorf("shard %q: %w", c.Name, err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(25 * time.Millisecond << min(n, 20)):
		}
	}
}

func (c *Client) once(ctx context.Context, path string, body []byte) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(c.Timeout, 10*time.Second))
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.URL+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	if c.Key != "" {
		request.Header.Set("Authorization", Bearer+c.Key)
	}
	response, err := cmp.Or(c.HTTP, http.DefaultClient).Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	var read bytes.Buffer
	read.Grow(int(max(0, min(response.ContentLength, MaxBody))) + bytes.MinRead) // or it would grow at the end
	_, err = read.ReadFrom(response.Body)
	answer := read.Bytes()
	switch {
	case err != nil:
		return nil, err
	case response.StatusCode/100 == 4:
		err := fmt.Errorf("%w: %s: %s", ErrRejected, response.Status, bytes.TrimSpace(answer))
		if response.StatusCode == http.StatusBadRequest {
			err = Reject(err)
		}
		return nil, err
	case response.StatusCode/100 != 2:
		return nil, fmt.Errorf("%s: %s", response.Status, bytes.TrimSpace(answer))
	}
	return answer, nil
}

// Ask posts a request, and reads the answer as JSON. An answer that check finds to be none is an error, as if
// there were none.
func Ask[T any](ctx context.Context, c *Client, path string, request any, check func(*T) error) (a T, err error) {
	err = c.Post(ctx, path, request, func(answer []byte) error {
		a = *new(T)
		if err := json.Unmarshal(answer, &a); err != nil {
			return err
		}
		return check(&a)
	})
	if err != nil {
		return *new(T), err
	}
	return a, nil
}

// Search is bleve's SearchInContext there.
func (c *Client) Search(ctx context.Context, r *bleve.SearchRequest) (*bleve.SearchResult, error) {
	found, err := Ask(ctx, c, "/search", &serve.Request{SearchRequest: r}, func(a *collapse.Result) error {
		if a.SearchResult == nil {
			return Whole(nil)
		}
		return Whole(a.Status)
	})
	if err != nil {
		return nil, err
	}
	for _, hit := range found.Hits {
		c.Named(&hit.Index, found.Status)
	}
	return found.SearchResult, nil
}

// Named gives a hit the name of the shard, unless the answer of this status is of several indexes and names one.
func (c *Client) Named(index *string, status *bleve.SearchStatus) {
	if status.Total == 1 || *index == "" {
		*index = c.Name
	}
}

// NearestRequest asks for what near.Nearest finds.
type NearestRequest struct {
	Queries []near.SimilarQuery `json:"queries"`
	Field   string              `json:"field,omitempty"` // whose Templates are asked for
	At      uint64              `json:"at,omitempty"`    // the record of a log that the shard must have read
}

// NearestAnswer has a hit or null for each query.
type NearestAnswer struct {
	Hits      []*near.SimilarHit `json:"hits"`
	Templates string             `json:"templates,omitempty"` // the id of what is left out of signatures
}

// Nearest posts r to /nearest.
func (c *Client) Nearest(ctx context.Context, r NearestRequest) (NearestAnswer, error) {
	return Ask(ctx, c, "/nearest", r, func(a *NearestAnswer) error {
		if a.Hits == nil || len(a.Hits) != len(r.Queries) {
			return fmt.Errorf("wanted answers to %d queries, got %d", len(r.Queries), len(a.Hits))
		}
		return nil
	})
}
