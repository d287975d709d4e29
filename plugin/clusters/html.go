package clusters

import (
	"bufio"
	"html/template"
	"io"
	"iter"
)

// WriteHTML writes clusters as one HTML page that needs no other file, without scripts,
// for light and dark screens: a table for each cluster, closed but for its head. It
// holds one cluster at a time. It stops at the first error of clusters or w, and returns
// it; the page then says that it is not complete.
func WriteHTML(w io.Writer, clusters iter.Seq2[Cluster, error]) error {
	out := bufio.NewWriter(w)
	err := page.ExecuteTemplate(out, "begin", nil)
	if err != nil {
		return err
	}
	var sum struct {
		Clusters, Documents int
		Broken              bool
	}
	err = each(clusters, func(c Cluster) error {
		sum.Clusters++
		sum.Documents += 1 + len(c.Members)
		return page.ExecuteTemplate(out, "cluster", struct {
			N, Size int
			Cluster
		}{sum.Clusters, 1 + len(c.Members), c})
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
var page = template.Must(template.New("").Funcs(template.FuncMap{"by": by, "quoted": quoted}).Parse(`
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
{{- define "cluster" -}}
<details>
<summary>{{.N}}. {{template "document" .Head}}: {{.Size}} {{if eq .Size 1}}document{{else}}documents{{end}}</summary>
<div class="scroll" role="region" aria-label="Cluster {{.N}}" tabindex="0">
<table>
<caption>Compared with {{template "document" .Head}}, {{.Head.Tokens}} tokens</caption>
<thead><tr><th scope="col">Document</th><th scope="col" class="n">Tokens</th><th scope="col" class="n">Resemblance</th><th scope="col" class="n">Lanes that agree</th><th scope="col" class="n">Hamming distance</th><th scope="col">By</th></tr></thead>
<tbody>
{{- range .Members}}
<tr><th scope="row">{{template "document" .}}</th><td class="n">{{.Tokens}}</td><td class="n">{{printf "%.2f" .Resemblance}}</td><td class="n">{{.Lanes}}</td><td class="n">{{.Hamming}}</td><td>{{by .}}</td></tr>
{{- end}}
</tbody>
</table>
</div>
</details>
{{end}}
{{- define "end" -}}
<p>{{if .Broken}}<strong>The report broke off here.</strong> {{end}}{{.Clusters}} {{if eq .Clusters 1}}cluster{{else}}clusters{{end}} of {{.Documents}} documents.</p>
</main>
</body>
</html>
{{end}}`))
