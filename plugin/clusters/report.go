package clusters

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode"
)

// WriteTable writes clusters as a table for people: a line a document, the head of each
// cluster first. It holds one cluster at a time. It stops at the first error of clusters
// or w, and returns it; what came before is written.
func WriteTable(w io.Writer, clusters iter.Seq2[Cluster, error]) error {
	out := bufio.NewWriter(w)
	t := tabwriter.NewWriter(out, len("RESEMBLANCE")+2, 0, 2, ' ', 0)
	fmt.Fprintln(t, "CLUSTER\tSIZE\tRESEMBLANCE\tLANES\tHAMMING\tBY\tDOCUMENT")
	n := 0
	err := each(clusters, func(c Cluster) error {
		n++
		fmt.Fprintf(t, "%d\t%d\t\t\t\t%-20s\t%s\n", n, 1+len(c.Members), "head", plain(c.Head))
		for _, m := range c.Members {
			fmt.Fprintf(t, "%d\t\t%.2f\t%d\t%d\t%-20s\t%s\n", n, m.Resemblance, m.Lanes, m.Hamming, by(m), plain(m.Document))
		}
		return t.Flush()
	})
	if err == nil {
		err = t.Flush()
	}
	if ferr := out.Flush(); err == nil {
		err = ferr
	}
	return err
}

// WriteJSON writes clusters as JSON lines, each a Cluster. It stops at the first error of
// clusters or w, and returns it; what came before is written.
func WriteJSON(w io.Writer, clusters iter.Seq2[Cluster, error]) error {
	out := bufio.NewWriter(w)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	err := each(clusters, func(c Cluster) error { return enc.Encode(c) })
	if ferr := out.Flush(); err == nil {
		err = ferr
	}
	return err
}

// each calls do until the first error.
func each(clusters iter.Seq2[Cluster, error], do func(Cluster) error) error {
	if clusters == nil {
		return errors.New("clusters: wanted clusters, got nil")
	}
	for c, err := range clusters {
		if err == nil {
			err = do(c)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// by names the tests that a member passed against the head.
func by(m Member) string {
	if m.By == 0 {
		return "others"
	}
	return m.By.String()
}

// plain is a document's name on one line.
func plain(d Document) string {
	if d.Index != "" {
		return quoted(d.Index) + " " + quoted(d.ID)
	}
	return quoted(d.ID)
}

// quoted is a name as it is or, if it is empty, not UTF-8, has what a terminal would act upon,
// or begins with a quote itself, quoted as in Go: so no name looks like another.
func quoted(name string) string {
	if name == "" || name[0] == '"' || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) || r == unicode.ReplacementChar }) {
		return strconv.Quote(name)
	}
	return name
}
