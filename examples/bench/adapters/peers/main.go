// Peers finds near-duplicates with other libraries in Go, and in ways that take a page of code, for bench.
package main

import "github.com/neardup/bleve-neardup/examples/bench/adapters/internal/lines"

func main() { lines.Run(ways) }

var ways = map[string]lines.Find{
	"ekzhu": ekzhu, "go-minhash": goMinhash, "simhash": simhash, "textprofile": textProfile, "equal": equal, "naive": naive, "reading": reading, "splitting": splitting,
}
