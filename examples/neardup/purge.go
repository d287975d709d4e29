package main

import (
	"github.com/blevesearch/bleve/v2"
	"github.com/spf13/cobra"

	"github.com/neardup/bleve-neardup/plugin/indextype"
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
			r := purged{Index: args[0]}
			err := with(r.Index, false, func(x bleve.Index, inner *indextype.Index) (err error) {
				if err = inner.Purge(c.Context()); err == nil {
					r.Documents, err = x.DocCount()
				}
				return err
			})
			if err != nil || a.json {
				return a.encoded(r, err)
			}
			a.summary("purged %s, which has %d documents", r.Index, r.Documents)
			return nil
		},
	}
}
