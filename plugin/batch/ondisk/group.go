package ondisk

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
)

// The file "groups" has, for each group, the number of its documents and the documents, the
// head first, 32 bits each, little-endian. The file "dropped" has a bit for each document,
// which is set if the document is a member and not the head.

// group writes the groups. It brings the documents of a component together by sorting rows
// (least document of the component, document), in runs like those of keys. The least
// document is in the upper half of the key, by which rows are sorted.
func (r *run) group() error {
	paths, err := r.componentRuns()
	if err != nil {
		return err
	}
	clear(r.equal) // documents that equal others are members, too
	dropped := make(bitmap, len(r.equal))
	r.m.Groups, r.m.Dropped = 0, 0
	err = r.writeFile(r.path("groups"), func(w *bufio.Writer) error {
		p := &pass{run: r, width: 64, capacity: int(r.o.Memory-needed(r.m.Documents)+16<<20) / 2 / (r.bytesARow() + 64)}
		p.idle = func([]row) bool { return false }
		p.hot = func(row) error {
			return fmt.Errorf("memory: a group of more than %d documents needs more than %d bytes", p.capacity, r.o.Memory)
		}
		p.handle = func(rows []row, starts []int) error {
			return r.lead(rows, starts, func(docs []uint32) error {
				for _, doc := range docs[1:] {
					dropped.set(doc)
				}
				r.m.Groups++
				r.m.Dropped += uint64(len(docs) - 1)
				return writeNumbers(w, append([]uint32{uint32(len(docs))}, docs...))
			})
		}
		return p.all(paths)
	})
	if err != nil {
		return err
	}
	err = r.writeFile(r.path("dropped"), func(w *bufio.Writer) error {
		_, err := w.Write(dropped)
		return err
	})
	if err != nil {
		return err
	}
	r.m.Grouped = true
	if err := r.commit(); err != nil {
		return err
	}
	return remove(append(paths, r.setsPath(r.m.Joined)))
}

// componentRuns writes the rows of all documents that are not alone in their component.
func (r *run) componentRuns() (paths []string, err error) {
	crowd := make(bitmap, len(r.equal))
	for i := range r.parent {
		if root := r.sets.Of(uint32(i)); root != uint32(i) {
			crowd.set(root)
			crowd.set(uint32(i))
		}
	}
	size := int(min(r.memory/2/32, int64(len(r.parent))))
	rows, spare := make([]row, 0, size), make([]row, size)
	for i := range r.parent {
		if crowd.has(uint32(i)) {
			rows = append(rows, row{uint64(r.sets.Of(uint32(i))) << 32, uint32(i)})
		}
		if len(rows) == size || i == len(r.parent)-1 {
			rows, spare = sortRows(rows, spare)
			paths = append(paths, r.path(fmt.Sprintf("components-%05d", len(paths))))
			if err := cmp.Or(r.ctx.Err(), r.writeRows(paths[len(paths)-1], rows)); err != nil {
				return nil, err
			}
			rows = rows[:0]
		}
	}
	return paths, nil
}

// member is a document of the current component.
type member struct {
	doc uint32
	id  string
	sig signature.Signature
}

// lead calls each with the documents of every group in some components. The head comes
// first: the document with most tokens, and among these the one with the least id.
func (r *run) lead(rows []row, starts []int, each func(docs []uint32) error) error {
	l, err := r.load(rows)
	if err != nil {
		return err
	}
	ids, err := r.ids(rows)
	if err != nil {
		return err
	}
	return buckets(rows, starts, func(begin int, bucket []row) error {
		all := make([]member, len(bucket))
		for i, row := range bucket {
			all[i] = member{row.doc, ids[begin+i], l.all[begin+i]}
		}
		slices.SortFunc(all, func(a, b member) int {
			return cmp.Or(cmp.Compare(b.sig.Tokens, a.sig.Tokens), cmp.Compare(a.id, b.id), cmp.Compare(a.doc, b.doc))
		})
		leaders := make([]int, len(all)) // for By Components, 0 for all: the first is the leader
		if r.m.By == Leaders {
			signatures := make([]signature.Signature, len(all))
			for i := range all {
				signatures[i] = all[i].sig
			}
			if leaders, err = table.Leaders(r.ctx, r.m.Rule, signatures, nil); err != nil {
				return err
			}
		}
		own := make(map[int][]uint32)
		for i, leader := range leaders {
			own[leader] = append(own[leader], all[i].doc)
		}
		for i := range all {
			if docs := own[i]; len(docs) > 1 {
				if err := each(docs); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// readGroup reads the next group. It returns io.EOF at the end.
func readGroup(in *bufio.Reader) ([]uint32, error) {
	var n uint32
	if err := binary.Read(in, binary.LittleEndian, &n); err != nil {
		return nil, err
	}
	docs := make([]uint32, n)
	return docs, readNumbers(in, docs)
}
