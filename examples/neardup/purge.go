package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/neardup/bleve-neardup/plugin"
)

// purged is what purge prints as JSON.
type purged struct {
	Index     string `json:"index"`
	Documents uint64 `json:"documents"`
}

func (a *app) purgeCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "purge INDEX",
		Short: "Erase what was deleted from the files of an index",
		Long: `Purge rewrites the files of an index that have deleted or replaced documents, so that they keep no
text, signature, tag or id of these, and no mark that was taken back. It needs room for the
largest of the files. No other process can have the index open. Names of fields stay, and
the file system can keep blocks of removed files: SECURITY.md says more.`,
		Example: "  neardup purge notes.bleve",
		Args:    args("an index", 1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			return a.purge(c.Context(), args[0])
		},
	}
}

func (a *app) purge(ctx context.Context, path string) error {
	x, err := open(path, false, true)
	if err != nil {
		return err
	}
	n, err := plugin.Of(x)
	if err == nil {
		err = n.Purge(ctx)
	}
	total, cerr := x.DocCount()
	if err == nil {
		err = cerr
	}
	if cerr := x.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = plugin.Scrub(path)
	}
	if err != nil {
		return err
	}
	if a.json {
		return a.encode(purged{path, total})
	}
	a.summary("purged %s, which has %d documents", path, total)
	return nil
}
