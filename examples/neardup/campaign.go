package main

import (
	"fmt"
	"slices"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/spf13/cobra"

	"github.com/neardup/bleve-neardup/plugin/indextype"
	"github.com/neardup/bleve-neardup/plugin/near"
)

func (a *app) campaignCommand() *cobra.Command {
	var (
		from, to   string
		since, end time.Time
	)
	c := &cobra.Command{
		Use:   "campaign INDEX ID",
		Short: "List the copies of a document that got in, such as those of a campaign before a flood stopped it",
		Long: `Campaign lists a document and its near-duplicates, by the rule, the field and the scope of the
index's policy, in the order in which they were sent. The id is the one that the verdict on a rejected
document names.`,
		Example: "  neardup campaign mails.bleve m17 --from 2026-03-02T00:00:00Z",
		Args:    args("an index and an id", 2, 2),
		RunE: func(c *cobra.Command, args []string) (err error) {
			for _, bound := range []struct {
				name, text string
				at         *time.Time
			}{{"from", from, &since}, {"to", to, &end}} {
				if bound.text == "" {
					continue
				}
				if *bound.at, err = time.Parse(time.RFC3339, bound.text); err != nil {
					return usageError{fmt.Errorf("--%s: wanted a time like 2026-03-02T09:15:00Z, got %q", bound.name, bound.text)}
				}
			}
			return a.campaign(c, args[0], args[1], since, end)
		},
	}
	c.Flags().StringVar(&from, "from", "", "leave out what was sent before this `time`")
	c.Flags().StringVar(&to, "to", "", "leave out what was sent at this `time` or later")
	return c
}

func (a *app) campaign(c *cobra.Command, path, id string, since, end time.Time) error {
	var all []near.Copy
	err := with(path, true, func(x bleve.Index, _ *indextype.Index) (err error) {
		all, err = near.Campaign(c.Context(), x, id)
		return err
	})
	all = slices.DeleteFunc(all, func(d near.Copy) bool {
		unknown := d.Sent.IsZero()
		return !since.IsZero() && (unknown || d.Sent.Before(since)) || !end.IsZero() && (unknown || !d.Sent.Before(end))
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
