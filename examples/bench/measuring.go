package main

import (
	"context"
	"io"
)

// measuring is what a command line asks for.
type measuring func(ctx context.Context, stdout, stderr io.Writer) error
