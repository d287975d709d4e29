package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	docsearch "github.com/neardup/bleve-neardup/examples/docsearch/corpus"
	"github.com/neardup/bleve-neardup/examples/internal/documents"
	"github.com/neardup/bleve-neardup/examples/internal/sites"
)

// shippedNames are the corpora that come with the project: its manuals, and three that are made of them.
var shippedNames = []string{"manuals", "edits", "pages", "short"}

// shippedCorpora returns those corpora. They are the same in each run.
func shippedCorpora() ([]corpus, error) {
	all, newest, err := manuals()
	return []corpus{all, edits(newest), pages(newest), short(newest)}, err
}

// manuals returns the manuals as a corpus, and the texts of the newest version.
func manuals() (c corpus, newest []string, err error) {
	c = corpus{name: "manuals", about: "The LLVM and Clang manuals in four versions"}
	source := documents.Source{ID: "id", Text: []string{"text"}, HTML: documents.None, Stdin: bytes.NewReader(docsearch.Lines)}
	for d, err := range source.Read("-") {
		if err != nil {
			return c, nil, err
		}
		project, _ := d.Fields["project"].(string)
		path, _ := d.Fields["path"].(string)
		c.docs = append(c.docs, document{ID: d.ID, Text: d.Values[0], label: project + "/" + path})
		if d.Fields["version"] == 16. {
			newest = append(newest, d.Values[0])
		}
	}
	return c, newest, nil
}

// add adds a document that is the copy-th of a text.
func (c *corpus) add(text, copied int, body string) {
	c.docs = append(c.docs, document{ID: fmt.Sprintf("%04d-%d", text, copied), Text: body, label: fmt.Sprint(text)})
}

// mixed brings the documents into a random order.
func (c *corpus) mixed(rnd *rand.Rand) corpus {
	rnd.Shuffle(len(c.docs), func(i, j int) { c.docs[i], c.docs[j] = c.docs[j], c.docs[i] })
	return *c
}

// edits is pieces of manuals, and edited copies of each.
func edits(texts []string) corpus {
	rnd := rand.New(rand.NewPCG(20, 1))
	c := corpus{name: "edits", about: "400 pieces of 300 words, each with six copies: 1, 3, 6, 10 and 15 words changed, and 30 in a row left out"}
	words := sites.Words(texts...)
	for i, body := range sites.Bodies(texts, 300, 400) {
		c.add(i, 0, body)
		for copied, changes := range []int{1, 3, 6, 10, 15} {
			all := strings.Fields(body)
			for _, at := range rnd.Perm(len(all))[:changes] {
				all[at] = words[rnd.IntN(len(words))]
			}
			c.add(i, 1+copied, strings.Join(all, " "))
		}
		all := strings.Fields(body)
		at := rnd.IntN(len(all) - 30)
		c.add(i, 6, strings.Join(slices.Delete(all, at, at+30), " "))
	}
	return c.mixed(rnd)
}

// pages is pages of made web sites, some of them mirrored.
func pages(texts []string) corpus {
	rnd := rand.New(rand.NewPCG(20, 2))
	c := corpus{name: "pages", about: "200 words in templates of 100 to 800, on four made sites. Of each, 100 texts also stand on the next, and 100 twice on it"}
	words := sites.Words(docsearch.Licence)
	var all []*sites.Site
	for i, size := range []int{100, 200, 400, 800} {
		all = append(all, sites.New(uint64(i), sites.Elements, words, size))
	}
	for i, body := range sites.Bodies(texts, 200, 1200) {
		here := i / 300
		c.add(i, 0, all[here].Plain(body))
		switch i % 3 {
		case 1:
			c.add(i, 1, all[(here+1)%len(all)].Plain(body))
		case 2:
			c.add(i, 1, all[here].Plain(body+fmt.Sprintf("\npage %d of the archive", i)))
		}
	}
	return c.mixed(rnd)
}

// short is short pieces of manuals, and copies of each.
func short(texts []string) corpus {
	rnd := rand.New(rand.NewPCG(20, 3))
	c := corpus{name: "short", about: "800 pieces of 40 words, each with three copies: in capitals with other punctuation, a word more, and a word changed"}
	words := sites.Words(texts...)
	for i, body := range sites.Bodies(texts, 40, 800) {
		c.add(i, 0, body)
		c.add(i, 1, strings.ToUpper(strings.Join(strings.Fields(body), ",  "))+"!")
		c.add(i, 2, body+" "+words[rnd.IntN(len(words))])
		all := strings.Fields(body)
		all[rnd.IntN(len(all))] = words[rnd.IntN(len(words))]
		c.add(i, 3, strings.Join(all, " "))
	}
	return c.mixed(rnd)
}
