package main

import (
	"fmt"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/spf13/cobra"

	"github.com/neardup/bleve-neardup/plugin/indextype"
	"github.com/neardup/bleve-neardup/plugin/near"
)

func (a *app) campaignCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "campaign INDEX ID",
		Short: "List the copies of a document that got in, such as those of a campaign before a flood stopped it",
		Long: `Campaign lists a document and its near-duplicates, by the rule, the field and the scope of the
index's policy, in the order in which they were sent. The id is the one that the verdict on a rejected
document names.`,
		Example: "  neardup campaign mails.bleve m17",
		Args:    args("an index and an id", 2, 2),
		RunE:    func(c *cobra.Command, args []string) error { return a.campaign(c, args[0], args[1]) },
	}
}

func (a *app) campaign(c *cobra.Command, path, id string) error {
	var all []near.Copy
	err := with(path, true, func(x bleve.Index, _ *indextype.Index) (err error) {
		all, err = near.Campaign(c.Context(), x, id)
		return err
	})
	if err != nil || a.json {
		return a.encoded(all, err)
	}
	rows := []string{"SENT\tLANES\tTAG\tDOCUMENT"}
	for _, d := range all {
		sent := "unknown"
		if !d.Sent.IsZero() {
			sent = d.Sent.Format(time.RFC3339)
		}
		rows = append(rows, fmt.Sprintf("%s\t%d\t%s\t%s", sent, d.Match.Agree, d.Tag, plain(d.ID)))
	}
	return a.table(rows, "%d documents", len(all))
}
