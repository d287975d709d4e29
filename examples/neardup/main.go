// Neardup is a command line around the library, on bleve's own index files. It makes an index
// with signatures, searches it with near-copies folded, and lists the near-duplicates of one
// document or of all. It gives an existing index signatures, takes them away again, erases
// what was deleted, and audits what is stored. It finds the groups of more documents than
// memory holds, compares files, and says its version.
//
//	go -C examples run ./neardup index ~/manuals.bleve docsearch/corpus/corpus.jsonl.gz
//	go -C examples run ./neardup search ~/manuals.bleve loop vectorizer
//	go -C examples build -o ~/bin/neardup ./neardup && neardup --help
//
// (With go -C, a relative path is one below examples.) Each command has a file of its
// own here.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/neardup/bleve-neardup/analysis/signature"
)

const about = `Near-duplicates in bleve indexes: mirrors, versions and reposts of one text.

An index is bleve's own, of the type "neardup": any program that imports
github.com/neardup/bleve-neardup/plugin opens it. Near-duplicates are texts whose sketches
agree in at least 90 of 100 lanes, or whose simhashes differ in at most 3 bits of 64, or
which are equal but for case, punctuation and space; --lanes, --hamming, --mode and
--min-words ask for another rule.

Exit codes: 0 done; 1 an error, an interrupt, or a finding (check: a signature is not right;
compare: no near-duplicates; index: --text names a member that no document has); 2 a wrong command line.`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	context.AfterFunc(ctx, stop) // the next interrupt ends at once, whatever is read meanwhile
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is main with its inputs and outputs given. It returns the exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	a := &app{stdin: stdin, stdout: stdout, stderr: stderr}
	root := a.root()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	command, err := root.ExecuteContextC(ctx)
	var usage usageError
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errFinding):
		return 1
	case errors.As(err, &usage) || strings.HasPrefix(err.Error(), "unknown command"):
		fmt.Fprintf(stderr, "%s: %v\nRun '%s --help' for usage.\n", command.CommandPath(), err, command.CommandPath())
		return 2
	case errors.Is(err, context.Canceled):
		fmt.Fprintf(stderr, "%s: %s\n", command.CommandPath(), interrupted(err))
	default:
		fmt.Fprintf(stderr, "%s: %v\n", command.CommandPath(), err)
	}
	return 1
}

// interrupted says "interrupted" for an error that wraps context.Canceled.
func interrupted(err error) string {
	rest := strings.Trim(strings.Replace(err.Error(), context.Canceled.Error(), "", 1), ": ")
	switch {
	case rest == "":
		return "interrupted"
	case strings.HasPrefix(rest, "("):
		return "interrupted " + rest
	}
	return "interrupted: " + rest
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use: "neardup", Short: "Near-duplicates in bleve indexes", Long: about,
		SilenceErrors: true, SilenceUsage: true,
	}
	info, _ := debug.ReadBuildInfo()
	root.Version = version(info)
	root.SetVersionTemplate("{{.Version}}\n")
	f := root.PersistentFlags()
	f.BoolVar(&a.json, "json", false, "print JSON")
	f.BoolVarP(&a.quiet, "quiet", "q", false, "no progress and no summary on standard error")
	f.StringVar(&a.field, "field", signature.DefaultField, "the fingerprinted field")
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	root.AddCommand(
		a.indexCommand(), a.searchCommand(), a.similarCommand(), a.passagesCommand(), a.groupsCommand(), a.backfillCommand(), a.leaveCommand(), a.purgeCommand(), a.campaignCommand(),
		a.policyCommand(), a.markCommand(), a.serveCommand(), a.templatesCommand(), a.dedupeCommand(), a.checkCommand(), a.compareCommand(),
	)
	return root
}
