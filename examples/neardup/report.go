package main

import (
	"bufio"
	"fmt"
	"html/template"
	"io"
	"iter"
	"text/tabwriter"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/plugin/near"
)

// writeTable writes groups as a table for people: a line a document, the head of each
// group first. It holds one group at a time. It stops at the first error of groups
// or w, and returns it; what came before is written.
func writeTable(w io.Writer, all iter.Seq2[near.Group, error]) error {
	out := bufio.NewWriter(w)
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	const widths = "%-5v\t%-4v\t%-11v\t%-5v\t%-7v\t%-20s\t%s\n" // the same in each group, as groups are printed one by one
	fmt.Fprintf(t, widths, "GROUP", "SIZE", "RESEMBLANCE", "LANES", "HAMMING", "BY", "DOCUMENT")
	n := 0
	err := each(all, func(c near.Group) error {
		n++
		fmt.Fprintf(t, widths, n, 1+len(c.Members), "", "", "", "head", nameOf(c.Head))
		for _, m := range c.Members {
			fmt.Fprintf(t, widths, n, "", resembles(m), m.Agree, m.Hamming, by(m), nameOf(m.Document))
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

// each calls do until the first error.
func each(all iter.Seq2[near.Group, error], do func(near.Group) error) error {
	for c, err := range all {
		if err == nil {
			err = do(c)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// resembles is the resemblance of a member to its head: not 1 if their texts are known to differ.
func resembles(m near.Member) string {
	if m.Resemblance >= .995 && m.By&signature.ByExact == 0 && !(m.Verified && m.Resemblance == 1) {
		return ">0.99"
	}
	return fmt.Sprintf("%.2f", m.Resemblance)
}

// by names the tests that a member passed against the head.
func by(m near.Member) string {
	if m.By == 0 {
		return "others"
	}
	return verified(m.By.String(), m.Verified)
}

// nameOf is a document's name on one line.
func nameOf(d near.Document) string {
	if d.Index != "" {
		return plain(d.Index) + " " + plain(d.ID)
	}
	return plain(d.ID)
}

// writeHTML writes groups as one HTML page that needs no other file, without scripts,
// for light and dark screens: a table for each group, of which only the head is open. It
// holds one group at a time. It stops at the first error of groups or w, and returns
// it; the page then says that it is not complete.
func writeHTML(w io.Writer, all iter.Seq2[near.Group, error]) error {
	out := bufio.NewWriter(w)
	err := page.ExecuteTemplate(out, "begin", nil)
	if err != nil {
		return err
	}
	var sum struct {
		Groups, Documents int
		Broken            bool
	}
	err = each(all, func(c near.Group) error {
		sum.Groups++
		sum.Documents += 1 + len(c.Members)
		return page.ExecuteTemplate(out, "group", struct {
			N, Size int
			near.Group
		}{sum.Groups, 1 + len(c.Members), c})
	})
	sum.Broken = err != nil
	if eerr := page.ExecuteTemplate(out, "end", sum); err == nil {
		err = eerr
	}
	if ferr := out.Flush(); err == nil {
		err = ferr
	}
	return err
}

// page is the report, in the parts that are written one after the other.
var page = template.Must(template.New("").Funcs(template.FuncMap{"by": by, "resembles": resembles, "quoted": plain}).Parse(`
{{- define "begin" -}}
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Near-duplicates</title>
<style>
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; }
details { border-top: 1px solid GrayText; padding: .5rem 0; }
summary { cursor: pointer; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; margin: .5rem 0 1rem; width: 100%; }
caption { text-align: start; }
th, td { overflow-wrap: anywhere; padding: .15rem 1rem .15rem 0; text-align: start; vertical-align: top; }
th[scope=row] { font-weight: normal; min-width: 12rem; }
.n { font-variant-numeric: tabular-nums; text-align: end; }
</style>
</head>
<body>
<main>
<h1>Near-duplicates</h1>
{{end}}
{{- define "document"}}{{with .Index}}{{quoted .}} {{end}}<bdi>{{quoted .ID}}</bdi>{{end}}
{{- define "group" -}}
<details>
<summary>{{.N}}. {{template "document" .Head}}: {{.Size}} {{if eq .Size 1}}document{{else}}documents{{end}}</summary>
<div class="scroll" role="region" aria-label="Group {{.N}}" tabindex="0">
<table>
<caption>Compared with {{template "document" .Head}}, {{.Head.Tokens}} tokens</caption>
<thead><tr><th scope="col">Document</th><th scope="col" class="n">Tokens</th><th scope="col" class="n">Resemblance</th><th scope="col" class="n">Lanes that agree</th><th scope="col" class="n">Hamming distance</th><th scope="col">By</th></tr></thead>
<tbody>
{{- range .Members}}
<tr><th scope="row">{{template "document" .}}</th><td class="n">{{.Tokens}}</td><td class="n">{{resembles .}}</td><td class="n">{{.Agree}}</td><td class="n">{{.Hamming}}</td><td>{{by .}}</td></tr>
{{- end}}
</tbody>
</table>
</div>
</details>
{{end}}
{{- define "end" -}}
<p>{{if .Broken}}<strong>The report broke off here.</strong> {{end}}{{.Groups}} {{if eq .Groups 1}}group{{else}}groups{{end}} of {{.Documents}} documents.</p>
</main>
</body>
</html>
{{end}}`))
