package main

import (
	"context"
	"fmt"

	"github.com/blevesearch/bleve/v2"
	"github.com/spf13/cobra"

	"github.com/neardup/bleve-neardup/plugin/backfill"
)

func (a *app) leaveCommand() *cobra.Command {
	var o backfill.Options
	c := &cobra.Command{
		Use:   "leave FROM TO",
		Short: "Copy an index into a plain bleve index, without signatures",
		Long: `Leave copies the documents of an index with signatures into a plain one, which programs without this
library open. It rebuilds them from their stored fields. Everything but signatures, tags and
fingerprinted fields is as if bleve had indexed them in the first place. FROM is not changed.

After a stop at any moment, even by kill -9, the same command goes on where it was.`,
		Example: "  neardup leave notes.bleve plain.bleve",
		Args:    args("an index and a new one", 2, 2),
		RunE: func(c *cobra.Command, args []string) error {
			return a.leave(c.Context(), args[0], args[1], o)
		},
	}
	f := c.Flags()
	f.IntVar(&o.Batch, "batch", 500, "documents written at once")
	f.BoolVar(&o.Lossy, "lossy", false, "go on without what FROM does not store")
	return c
}

func (a *app) leave(ctx context.Context, from, to string, o backfill.Options) error {
	source, err := open(from, true, true)
	if err != nil {
		return err
	}
	defer source.Close()
	made := free(to)
	var target bleve.Index
	if made {
		m, err := backfill.PlainMapping(source.Mapping())
		if err != nil {
			return fmt.Errorf("%s: %w", from, err)
		}
		if target, err = bleve.New(to, m); err != nil {
			return err
		}
	} else if target, err = open(to, false, false); err != nil {
		return err
	}
	bar := a.progress("leave", -1, false)
	o.Progress = func(s backfill.Status) { bar.Set(int(s.Done), int(s.Total)) }
	status, err := backfill.Leave(ctx, source, target, o)
	bar.End()
	return a.copied(to, made, target, status, err)
}
