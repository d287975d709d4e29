// Package serve has what the servers of the examples share: who may ask, how many at the
// same time, how long a sender may take, and how a server ends.
package serve

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// patience is how long requests that are under way may take to end.
const patience = 10 * time.Second

// MaxConnections is the most connections that Until accepts from one address.
const MaxConnections = 256

// New returns a server with the deadlines that a server needs which strangers reach: a
// sender has 10 seconds for the headers of a request and read for the whole of it, and the
// answer has to be written within write after the headers.
func New(h http.Handler, read, write time.Duration, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: min(10*time.Second, read),
		ReadTimeout:       read,
		WriteTimeout:      write,
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
}

// Until serves until the context ends; requests that are under way may end then. One
// address has at most MaxConnections connections.
func Until(ctx context.Context, s *http.Server, listener net.Listener, log *slog.Logger) error {
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(limited{listener, NewEach(MaxConnections)}) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	log.Info("shutting down")
	late, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := s.Shutdown(late); err != nil {
		return errors.Join(fmt.Errorf("shutting down: %w", err), s.Close())
	}
	return nil
}
