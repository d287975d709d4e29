// Package serve ends the servers of the examples in order.
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

// Until serves until the context ends; requests that are under way may end then.
func Until(ctx context.Context, s *http.Server, listener net.Listener, log *slog.Logger) error {
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(listener) }()
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
