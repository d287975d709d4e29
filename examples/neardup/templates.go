package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/blevesearch/bleve/v2"
	"github.com/spf13/cobra"

	"github.com/neardup/bleve-neardup/plugin/indextype"
	"github.com/neardup/bleve-neardup/plugin/templates"
)

func (a *app) templatesCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "templates",
		Short: "Leave out of signatures what many documents of a site or a sender share",
		Long: `Templates finds what many documents share: menus, footers of mails, headers of files. Left out of
signatures, it makes neither different pages of one site near-duplicates, nor one text on two sites
another text. "learn" reads an index and shows what it found, "use" leaves it out of what is written
from then on, and backfill signs again what was written before.`,
		Example: `  neardup templates learn --scope site pages.bleve
  neardup templates learn --scope site --json pages.bleve > found.json
  neardup templates use pages.bleve found.json
  neardup backfill pages.bleve new.bleve`,
		Args: args("learn, use, show or drop", 0, 0),
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(a.learnCommand(), a.useCommand(), a.showCommand(), a.dropCommand())
	return c
}

func (a *app) learnCommand() *cobra.Command {
	var o templates.Options
	c := &cobra.Command{
		Use:   "learn INDEX",
		Short: "Show what many documents share; nothing is changed",
		Long: `Learn reads documents of an index and prints, for each scope, how much of them others of that scope have too, with
the passages that most have. Look at these: a campaign that makes up a tenth of the mails looks like a template. What
is marked as spam is not learned, and is named. With --json learn prints all passages, and what "use" takes.`,
		Example: "  neardup templates learn --scope sender mails.bleve",
		Args:    args("an index", 1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			o.Field = a.field
			return a.learn(c.Context(), args[0], o)
		},
	}
	f := c.Flags()
	f.StringVar(&o.Scope, "scope", "", "the stored field whose value, or with \"domain:\" before its name whose domain, says which documents may share a template")
	f.IntVar(&o.Width, "width", 0, "words in a shingle of a template, 2 to 16; 0 for 4")
	f.Float64Var(&o.Share, "share", 0, "the part of a scope's documents in which a template stands at least; 0 for .1 with --scope")
	f.IntVar(&o.Documents, "documents", 0, "in how many documents it stands at least; 0 for 10")
	f.IntVar(&o.Sample, "sample", 0, "documents that are read; 0 for 100,000")
	return c
}

func (a *app) learn(ctx context.Context, path string, o templates.Options) error {
	var found *templates.Templates
	err := with(path, true, func(x bleve.Index, _ *indextype.Index) (err error) {
		found, err = templates.Learn(ctx, x, o)
		return err
	})
	if err != nil || a.json {
		return a.encoded(found, err)
	}
	for _, s := range found.Scopes {
		fmt.Fprintf(a.stdout, "%s: %d documents and %d copies, %.0f %% of their words would be left out\n", scopeName(s.Name), s.Documents, s.Copies, 100*s.LeftOut)
		for i, p := range s.Passages {
			if i == shownPassages {
				fmt.Fprintf(a.stdout, "  %d more passages: see --json\n", len(s.Passages)-i)
				break
			}
			fmt.Fprintf(a.stdout, "  %d words in %d documents: %s\n", p.Words, p.Documents, short(p.Text))
		}
	}
	for _, m := range found.Marked {
		fmt.Fprintf(a.stdout, "%s: not learned, since it is of the mark %s: %d words in %d documents: %s\n",
			scopeName(m.Scope), plain(m.Mark), m.Words, m.Documents, short(m.Text))
	}
	a.summary("%d scopes with a template, %d without; of %d documents that were read, the text of %d is not stored", len(found.Scopes), found.Without, found.Sampled, found.Unread)
	return nil
}

// shownPassages is how many passages of a scope learn prints.
const shownPassages = 5

// scopeName is a scope for people.
func scopeName(name string) string {
	if name == "" {
		return "(no scope)"
	}
	return plain(name)
}

func (a *app) useCommand() *cobra.Command {
	var without []string
	c := &cobra.Command{
		Use:   "use INDEX FILE",
		Short: "Leave out of signatures what learn --json has printed, from now on",
		Long: `Use leaves templates out of the signatures of what is written from now on, and keeps them with the index. What
was written before keeps its signature until it is written again; backfill into a new index signs all anew.
Use warns of passages that are of a text that is marked as spam. --without takes a passage out of the templates. FILE is
what learn or show has printed with --json, or "-" for standard input.`,
		Example: `  neardup templates use mails.bleve found.json
  neardup templates show --json mails.bleve | neardup templates use --without "buy watches from us" mails.bleve -`,
		Args: args("an index and a file", 2, 2),
		RunE: func(c *cobra.Command, args []string) error {
			data, err := a.contents(args[1])
			if err != nil {
				return err
			}
			found := new(templates.Templates)
			if err := json.Unmarshal(data, found); err != nil {
				return fmt.Errorf("%s: wanted what \"templates learn --json\" prints: %w", args[1], err)
			}
			return a.setTemplates(c.Context(), args[0], found, without)
		},
	}
	c.Flags().StringArrayVar(&without, "without", nil, "a passage that stays in signatures; may be given more than once")
	return c
}

// setTemplates uses templates without some passages, or none if t is nil, and shows what is in use then.
func (a *app) setTemplates(ctx context.Context, path string, t *templates.Templates, without []string) error {
	err := with(path, false, func(x bleve.Index, _ *indextype.Index) error { return a.useTemplates(ctx, x, t, without) })
	if err != nil {
		return err
	}
	return a.showTemplates(path)
}

func (a *app) useTemplates(ctx context.Context, x bleve.Index, t *templates.Templates, without []string) error {
	if t == nil {
		return templates.Drop(ctx, x, a.field)
	}
	for _, text := range without {
		scopes, err := templates.Without(x, t, text)
		if err == nil && scopes == 0 {
			err = fmt.Errorf("--without: wanted a passage of a template, got %q", text)
		}
		if err != nil {
			return err
		}
	}
	marked, err := templates.Use(ctx, x, t)
	for _, m := range marked {
		fmt.Fprintf(a.stderr, "warning: %s: %d words are of the mark %s, and are left out of signatures: %s\n", scopeName(m.Scope), m.Words, plain(m.Mark), short(m.Text))
	}
	return err
}

func (a *app) showCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "show INDEX",
		Short:   "Show which templates are left out of signatures",
		Example: "  neardup templates show mails.bleve",
		Args:    args("an index", 1, 1),
		RunE:    func(_ *cobra.Command, args []string) error { return a.showTemplates(args[0]) },
	}
}

func (a *app) showTemplates(path string) error {
	var used *templates.Templates
	err := with(path, true, func(x bleve.Index, _ *indextype.Index) (err error) {
		used, err = templates.InUse(x, a.field)
		return err
	})
	if err != nil || a.json {
		return a.encoded(used, err)
	}
	for _, s := range used.Scopes {
		fmt.Fprintf(a.stdout, "%s: %d shingles\n", scopeName(s.Name), s.Shingles)
	}
	if len(used.Scopes) == 0 {
		fmt.Fprintln(a.stdout, "nothing is left out")
	}
	return nil
}

func (a *app) dropCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "drop INDEX",
		Short:   "Leave nothing out of signatures from now on",
		Example: "  neardup templates drop mails.bleve",
		Args:    args("an index", 1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			return a.setTemplates(c.Context(), args[0], nil, nil)
		},
	}
}
