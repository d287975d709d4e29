package rpc

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/collapse/serve"
	"github.com/neardup/bleve-neardup/internal/indexes"
	"github.com/neardup/bleve-neardup/plugin/internal/gate"
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
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimSuffix(c.URL, "/")+path, bytes.NewReader(body))
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

// NearestRequest asks for the first hit of near.Similar for each query, or, with Tries, for what gate.Ask does.
type NearestRequest struct {
	Queries []near.SimilarQuery `json:"queries"`
	Tries   []uint32            `json:"tries,omitempty"` // one for each query
	Rule    signature.Rule      `json:"rule,omitzero"`   // with Tries: of all queries
	Field   string              `json:"field,omitempty"` // that is fingerprinted
	At      uint64              `json:"at,omitempty"`    // the record of a log that the shard must have read
}

// NearestAnswer has for each query a hit or null, or Names.
type NearestAnswer struct {
	Hits      []*near.SimilarHit `json:"hits"`
	Names     []gate.Names       `json:"names,omitempty"`
	Templates string             `json:"templates,omitempty"` // the id of what is left out of signatures
}

// Answer looks up in one index of this process.
func (r *NearestRequest) Answer(ctx context.Context, x bleve.Index) (a NearestAnswer, err error) {
	if r.Tries == nil {
		a.Hits = make([]*near.SimilarHit, len(r.Queries))
		for i, q := range r.Queries {
			q.MaxShare = cmp.Or(q.MaxShare, 1) // no guard unless it asks for one: what is written rests on it
			found, err := near.Similar(ctx, x, near.SimilarRequest{Query: q, Size: 1})
			if err != nil {
				return NearestAnswer{}, err
			}
			if len(found.Hits) > 0 {
				a.Hits[i] = &found.Hits[0]
			}
		}
		return a, nil
	}
	reader, err := indexes.Reader(x)
	if err != nil {
		return a, err
	}
	defer reader.Close()
	docs := make([]*gate.Document, len(r.Queries))
	for i := range docs {
		docs[i] = document(&r.Queries[i])
	}
	a.Names, err = gate.Ask(ctx, reader, r.Field, r.Rule, docs, r.Tries)
	return a, err
}

func document(q *near.SimilarQuery) *gate.Document {
	return &gate.Document{ID: q.ID, Signature: q.Signature}
}

// Check rejects what cannot be answered, though it could be read.
func (r *NearestRequest) Check() error {
	for i := range r.Queries {
		if r.Queries[i].Signature == nil {
			return Reject(fmt.Errorf("query %d: wanted a signature, got none", i))
		}
	}
	if r.Tries != nil && len(r.Tries) != len(r.Queries) {
		return Reject(fmt.Errorf("tries: wanted %d, as many as queries, got %d", len(r.Queries), len(r.Tries)))
	}
	return nil
}

// whole returns an error unless a has an answer to each query.
func (r *NearestRequest) whole(a *NearestAnswer) error {
	got := len(a.Hits)
	if r.Tries != nil {
		got = len(a.Names)
	}
	if got != len(r.Queries) || a.Hits == nil && a.Names == nil {
		return fmt.Errorf("wanted answers to %d queries, got %d", len(r.Queries), got)
	}
	return nil
}

// Add adds what another shard answers to the same request. The first one can be empty.
func (a *NearestAnswer) Add(b NearestAnswer) {
	if a.Hits == nil && a.Names == nil {
		a.Hits, a.Names = slices.Clone(b.Hits), slices.Clone(b.Names)
		return
	}
	for i, h := range b.Hits {
		a.Hits[i] = Nearer(a.Hits[i], h)
	}
	for i, n := range b.Names {
		a.Names[i].Add(n)
	}
}

// Nearest posts r to /nearest.
func (c *Client) Nearest(ctx context.Context, r NearestRequest) (NearestAnswer, error) {
	return Ask(ctx, c, "/nearest", r, r.whole)
}
