package batch

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/fileio"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/textio"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/neardup/bleve-neardup/internal/strict"
)

func init() {
	register.Function3x1(linesFn)
	beam.RegisterDoFn(&parseFn{})
	register.Function1x2(signedLine)
	register.Function2x1(parseSigned)
	register.Function1x2(edgeLine)
	register.Function2x1(parseEdge)
	beam.RegisterDoFn(&shardFn{})
	register.Function1x2(emptyShard)
	beam.RegisterDoFn(&writeFn{})
	register.Emitter1[Document]()
}

// ReadJSON reads Documents from files of JSON lines that match a pattern: objects of which
// the members id and text are strings; lines are UTF-8. With a pattern that ends in .gz the files are
// gzipped; each then is read by one worker, others in parts of 64 MB.
//
// (textio of Beam 2.77 ends a compressed file after as many bytes of text as it has
// compressed ones: of the corpus that comes with the examples it reads an eighth.)
func ReadJSON(s beam.Scope, pattern, id, text string) beam.PCollection {
	s = s.Scope("ReadJSON")
	var lines beam.PCollection
	if strings.HasSuffix(pattern, ".gz") {
		files := fileio.ReadMatches(s, fileio.MatchFiles(s, pattern), fileio.ReadGzip())
		lines = beam.ParDo(s, linesFn, files)
	} else {
		lines = textio.Read(s, pattern)
	}
	return beam.ParDo(s, &parseFn{id, text}, lines)
}

// linesFn emits the lines of a file.
func linesFn(ctx context.Context, file fileio.ReadableFile, emit func(string)) error {
	f, err := file.Open(ctx)
	if err != nil {
		return err
	}
	defer f.Close()
	for in := bufio.NewReaderSize(f, 1<<18); ; {
		line, err := in.ReadString('\n')
		if line != "" {
			emit(strings.TrimSuffix(line, "\n"))
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("batch: %s: %w", file.Metadata.Path, err)
		}
	}
}

// parseFn reads a line.
type parseFn struct{ ID, Text string }

// ProcessElement emits the Document of a line that is not empty.
func (f *parseFn) ProcessElement(line string, emit func(Document)) error {
	if line == "" {
		return nil
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal([]byte(line), &members); err != nil || !utf8.ValidString(line) {
		return fmt.Errorf("batch: wanted a JSON object in UTF-8 on each line, got %.40q", line)
	}
	var id string
	if err := json.Unmarshal(members[f.ID], &id); err != nil || id == "" {
		return fmt.Errorf("batch: %s: wanted a string, got %.60s in %.40q", f.ID, members[f.ID], line)
	}
	var text *string
	if err := json.Unmarshal(members[f.Text], &text); err != nil || text == nil {
		return fmt.Errorf("batch: %s: wanted a string, got %.60s in document %q", f.Text, members[f.Text], id)
	}
	emit(Document{id, *text})
	return nil
}

// WriteLines writes a line for each string to so many files, 1 if shards is less, of which all workers write
// some: prefix-00000-of-00016 and so on. Lines have no order. Files that get no line are
// written too, so that none of an earlier run is left.
func WriteLines(s beam.Scope, prefix string, shards int, lines beam.PCollection) {
	s, shards = s.Scope("WriteLines"), max(1, shards)
	filesystem.ValidateScheme(prefix)
	all := make([]int64, shards)
	for i := range all {
		all[i] = int64(i)
	}
	empty := beam.ParDo(s, emptyShard, beam.CreateList(s, all))
	beam.ParDo0(s, &writeFn{prefix, shards}, beam.CoGroupByKey(s, empty, beam.ParDo(s, &shardFn{shards}, lines)))
}

type shardFn struct{ Shards int }

// ProcessElement returns the shard of a line.
func (f *shardFn) ProcessElement(line string) (int64, string) {
	h := fnv.New64a()
	h.Write([]byte(line))
	return int64(h.Sum64() % uint64(f.Shards)), line
}

func emptyShard(shard int64) (int64, string) { return shard, "" }

type writeFn struct {
	Prefix string
	Shards int
}

// ProcessElement writes one file.
func (f *writeFn) ProcessElement(ctx context.Context, shard int64, _, lines func(*string) bool) (err error) {
	path := fmt.Sprintf("%s-%05d-of-%05d", f.Prefix, shard, f.Shards)
	fs, err := filesystem.New(ctx, path)
	if err != nil {
		return err
	}
	defer fs.Close()
	file, err := fs.OpenWrite(ctx, path)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(file, 1<<20)
	var line string
	for lines(&line) && err == nil {
		if strings.Contains(line, "\n") { // an id, which would be read as two
			return errors.Join(fmt.Errorf("batch: wanted lines without a line feed, got %.60q", line), file.Close())
		}
		_, err = out.WriteString(line + "\n")
	}
	return errors.Join(err, out.Flush(), file.Close())
}

// Between the pipelines of Run signatures and edges are lines of JSON.

func signedLine(d Signed) (string, error) {
	data, err := strict.Marshal(d)
	return string(data), err
}

func parseSigned(line string, emit func(Signed)) error {
	var d Signed
	err := json.Unmarshal([]byte(line), &d)
	emit(d)
	return err
}

func edgeLine(e Edge) (string, error) {
	data, err := strict.Marshal(e)
	return string(data), err
}

func parseEdge(line string, emit func(Edge)) error {
	var e Edge
	err := json.Unmarshal([]byte(line), &e)
	emit(e)
	return err
}
