package rpc

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

	"github.com/neardup/bleve-neardup/collapse"
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

// invalid is an error that wraps collapse.ErrRequest without repeating it: what asks for
// too much of a shard is the client's fault.
type invalid struct{ error }

func (e invalid) Unwrap() []error { return []error{e.error, collapse.ErrRequest} }

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
	wait := 50 * time.Millisecond
	for n := range max(c.Tries, 1) {
		if n > 0 {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(wait):
			}
			wait *= 2
		}
		var answer []byte
		answer, err = c.once(ctx, path, body)
		if err == nil {
			err = read(answer)
		}
		if err == nil || errors.Is(err, ErrRejected) || ctx.Err() != nil {
			break
		}
	}
	if err != nil {
		return fmt.Errorf("shard %q: %w", c.Name, err)
	}
	return nil
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
	answer, err := read(response)
	switch {
	case err != nil:
		return nil, err
	case response.StatusCode/100 == 4:
		err := fmt.Errorf("%w: %s: %s", ErrRejected, response.Status, bytes.TrimSpace(answer))
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
