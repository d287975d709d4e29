// Package corpus has the documents of the examples: pages of the LLVM and Clang
// manuals, versions 13 to 16. README.md says where they come from.
package corpus

import _ "embed"

// Lines are the pages as JSON lines, gzipped.
//
//go:embed corpus.jsonl.gz
var Lines []byte

// Licence is the licence of the pages.
//
//go:embed LICENSE.txt
var Licence string
