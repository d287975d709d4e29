package main

import (
	"fmt"
	"slices"

	"github.com/blevesearch/bleve/v2"
	"github.com/spf13/cobra"

	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/indextype"
)

func (a *app) markCommand() *cobra.Command {
	return family("mark", "Mark texts as spam or as wanted, for the policy of an index",
		a.markListCommand(), a.markAddCommand(), a.markRemoveCommand())
}

func (a *app) markListCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "list INDEX",
		Short: "List the marks of an index, with how many documents each has decided",
		Args:  args("an index", 1, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			return with(args[0], true, func(_ bleve.Index, inner *indextype.Index) error {
				marks, err := inner.Marks()
				if err != nil || a.json {
					return a.encoded(marks, err)
				}
				rows := []string{"LABEL\tUSED\tNAME"}
				for _, m := range marks {
					rows = append(rows, fmt.Sprintf("%s\t%d\t%s", m.Label, m.Used, plain(m.Name)))
				}
				return a.table(rows, "marks: %d", len(marks))
			})
		},
	}
}

func (a *app) markAddCommand() *cobra.Command {
	label, id := string(admission.Spam), ""
	c := &cobra.Command{
		Use:   "add INDEX NAME [FILE|-]",
		Short: "Mark a document of an index, or a text in a file",
		Long: `Add marks a document of the index (--id), or the text in a file or in standard input, as spam or as wanted.
A policy with "known" stops or tags what is like spam, and lets in what is like a wanted text. The mark stays when
the document is deleted. A mark replaces an earlier one of its name.`,
		Example: "  neardup mark add mails.bleve pills --id m17\n  neardup mark add mails.bleve newsletter --label wanted letter.txt",
		Args:    args("an index, a name and perhaps a file", 2, 3),
		RunE: func(c *cobra.Command, args []string) (err error) {
			if (len(args) == 3) == (id != "") {
				return usageError{fmt.Errorf("wanted --id or a file, got --id %q and the files %q", id, args[2:])}
			}
			var text []byte
			if id == "" {
				if text, err = a.contents(args[2]); err != nil {
					return err
				}
			}
			return with(args[0], false, func(_ bleve.Index, inner *indextype.Index) error {
				if p := inner.Policy(); label == string(admission.Spam) && (p == nil || p.Known == "") {
					a.summary("the policy of %s has no \"known\": without it nothing is compared with what is marked as spam", args[0])
				}
				mark := func() error { return inner.MarkText(c.Context(), args[1], admission.Label(label), string(text)) }
				if id != "" {
					mark = func() error { return inner.MarkDocument(c.Context(), args[1], admission.Label(label), id) }
				}
				if err := mark(); err != nil {
					return err
				}
				all, err := inner.Marks()
				if slices.ContainsFunc(all, func(m admission.Mark) bool { return m.Name == args[1] && m.Strict }) {
					a.summary("%s stops copies alone, since it is like documents that were accepted", args[1])
				}
				return err
			})
		},
	}
	c.Flags().StringVar(&label, "label", label, "spam or wanted")
	c.Flags().StringVar(&id, "id", "", "the document to mark")
	return c
}

func (a *app) markRemoveCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "remove INDEX NAME...",
		Short: "Take marks back",
		Args:  args("an index and names of marks", 2, -1),
		RunE: func(c *cobra.Command, args []string) (err error) {
			return with(args[0], false, func(_ bleve.Index, inner *indextype.Index) error {
				marks, err := inner.Marks()
				if err != nil {
					return err
				}
				for _, name := range args[1:] {
					if !slices.ContainsFunc(marks, func(m admission.Mark) bool { return m.Name == name }) {
						return fmt.Errorf("wanted the name of a mark of %s, got %q: the command mark list prints them", args[0], name)
					}
				}
				return inner.Unmark(c.Context(), args[1:]...)
			})
		},
	}
}
