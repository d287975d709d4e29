package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/neardup/bleve-neardup/plugin/near"
)

func (a *app) campaignCommand() *cobra.Command {
	var (
		request  near.CampaignRequest
		from, to string
		tag      bool
	)
	c := &cobra.Command{
		Use:   "campaign INDEX ID",
		Short: "List the copies of a document that got in, such as those of a campaign before a flood stopped it, or tag them",
		Long: `Campaign lists a document and its near-duplicates, by the rule, the field and the scope of the
index's policy, in the order in which they were sent. The id is the one that the verdict on a rejected
document names. With --tag they get the tag "campaign", unless they have one. They are written again for that,
from their stored fields, which must hold everything that is indexed.`,
		Example: "  neardup campaign mails.bleve m17 --from 2026-03-02T00:00:00Z\n  neardup campaign mails.bleve m17 --tag",
		Args:    args("an index and an id", 2, 2),
		RunE: func(c *cobra.Command, args []string) (err error) {
			for _, bound := range []struct {
				name, text string
				at         *time.Time
			}{{"from", from, &request.From}, {"to", to, &request.To}} {
				if bound.text == "" {
					continue
				}
				if *bound.at, err = time.Parse(time.RFC3339, bound.text); err != nil {
					return usageError{fmt.Errorf("--%s: wanted a time like 2026-03-02T09:15:00Z, got %q", bound.name, bound.text)}
				}
			}
			request.ID = args[1]
			return a.campaign(c, args[0], request, tag)
		},
	}
	c.Flags().StringVar(&from, "from", "", "leave out what was sent before this `time`")
	c.Flags().StringVar(&to, "to", "", "leave out what was sent at this `time` or later")
	c.Flags().BoolVar(&tag, "tag", false, "tag the documents")
	return c
}

func (a *app) campaign(c *cobra.Command, path string, request near.CampaignRequest, tag bool) error {
	x, err := open(path, !tag, true)
	if err != nil {
		return err
	}
	defer x.Close()
	var all []near.Copy
	if tag {
		all, err = near.TagCampaign(c.Context(), x, request, nil)
	} else {
		all, err = near.Campaign(c.Context(), x, request)
	}
	if err != nil {
		return err
	}
	if a.json {
		return a.encode(all)
	}
	rows := []string{"SENT\tLANES\tTAG\tDOCUMENT"}
	for _, d := range all {
		sent := "unknown"
		if !d.Sent.IsZero() {
			sent = d.Sent.Format(time.RFC3339)
		}
		rows = append(rows, fmt.Sprintf("%s\t%d\t%s\t%s", sent, d.Match.Agree, d.Tag, plain(d.ID)))
	}
	if err := a.table(rows); err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.stdout, "%d documents\n", len(all))
	return err
}
