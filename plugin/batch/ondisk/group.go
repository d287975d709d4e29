package ondisk

import (
	"bufio"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"os"
	"slices"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
)

// The file "groups" has, for each group, the number of its documents and the documents, the
// head first, 32 bits each, little-endian.

// group writes the groups. It brings the documents of a component together by sorting rows
// (least document of the component, document), in runs like those of keys. The least
// document is in the upper half of the key, by which rows are sorted.
func (r *run) group() error {
	paths, err := r.componentRuns()
	if err != nil {
		return err
	}
	clear(r.equal) // documents that equal others are members, too
	r.m.Groups, r.m.Dropped = 0, 0
	err = r.writeFile(r.path("groups"), func(w *bufio.Writer) error {
		p := &pass{run: r, what: "group", width: 64, capacity: r.capacity(r.bytesARow() + 64)}
		p.handle = func(rows []row, starts []int) error {
			return r.lead(rows, starts, func(docs []uint32) error {
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
	r.m.Grouped = true
	return r.commit()
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
	size := cmp.Or(r.small, int(min(r.memory/2/16, int64(len(r.parent)))))
	rows := make([]row, 0, size)
	for i := range r.parent {
		if crowd.has(uint32(i)) {
			rows = append(rows, row{uint64(r.sets.Of(uint32(i))) << 32, uint32(i)})
		}
		if len(rows) == size || i == len(r.parent)-1 {
			sortRows(rows)
			paths = append(paths, r.path(fmt.Sprintf(workDir+"/components-%05d", len(paths))))
			if err := cmp.Or(r.ctx.Err(), r.writeRows(paths[len(paths)-1], rows)); err != nil {
				return nil, err
			}
			rows = rows[:0]
		}
	}
	return paths, nil
}

// Split returns the groups of a component, as positions of its documents: the head of each, then the members. Documents
// come in the order of their tokens, most first, then of their ids, and a head is the first of its group.
func Split(ctx context.Context, rule signature.Rule, by By, ids []string, sigs []signature.Signature) (groups [][]int, err error) {
	order := make([]int, len(ids))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(sigs[b].Tokens, sigs[a].Tokens), cmp.Compare(ids[a], ids[b]))
	})
	leaders := make([]int, len(order)) // all of the first, for components
	if by == Leaders {
		ordered := make([]signature.Signature, len(order))
		for i, at := range order {
			ordered[i] = sigs[at]
		}
		if leaders, err = table.Leaders(ctx, rule, ordered, nil); err != nil {
			return nil, err
		}
	}
	groups = table.ByLeader(leaders)
	for _, own := range groups {
		for i := range own {
			own[i] = order[own[i]]
		}
	}
	return groups, nil
}

// lead calls each with the documents of every group in some components, the head first.
func (r *run) lead(rows []row, starts []int, each func(docs []uint32) error) error {
	loaded, err := r.load(rows)
	if err != nil {
		return err
	}
	ids, err := r.ids(rows)
	if err != nil {
		return err
	}
	return buckets(rows, starts, func(begin int, bucket []row) error {
		end := begin + len(bucket)
		groups, err := Split(r.ctx, r.m.Rule, r.m.By, ids[begin:end], loaded[begin:end])
		if err != nil {
			return err
		}
		for _, own := range groups {
			docs := make([]uint32, len(own))
			for i, at := range own {
				docs[i] = bucket[at].doc
			}
			if len(docs) > 1 {
				if err := each(docs); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// writeNumbers writes numbers of documents.
func writeNumbers(w *bufio.Writer, all []uint32) error {
	for part := range slices.Chunk(all, 4<<10) {
		if err := binary.Write(w, binary.LittleEndian, part); err != nil {
			return err
		}
	}
	return nil
}

// written yields the groups of the file: the documents of each. It ends at the first error.
func (j *Job) written() iter.Seq2[[]uint32, error] {
	return func(yield func([]uint32, error) bool) {
		if !j.m.Grouped || j.added > j.m.Documents {
			yield(nil, errors.New("ondisk: groups: Run must finish first"))
			return
		}
		f, err := os.Open(j.path("groups"))
		if err != nil {
			yield(nil, fmt.Errorf("ondisk: %w", err))
			return
		}
		defer f.Close()
		in := bufio.NewReaderSize(f, 1<<18)
		for range j.m.Groups {
			docs, err := j.readGroup(in)
			if err != nil {
				err = fmt.Errorf("ondisk: %s: %w", f.Name(), err)
			}
			if !yield(docs, err) || err != nil {
				return
			}
		}
	}
}

func (j *Job) readGroup(in *bufio.Reader) ([]uint32, error) {
	var n uint32
	if err := binary.Read(in, binary.LittleEndian, &n); err != nil {
		return nil, fmt.Errorf("wanted %d groups: %w", j.m.Groups, err)
	}
	if n < 2 || uint64(n) > j.m.Documents {
		return nil, fmt.Errorf("wanted a group of 2 to %d documents, got %d", j.m.Documents, n)
	}
	docs := make([]uint32, n)
	if err := binary.Read(in, binary.LittleEndian, docs); err != nil {
		return nil, fmt.Errorf("wanted a group of %d documents: %w", n, err)
	}
	if last := slices.Max(docs); uint64(last) >= j.m.Documents {
		return nil, fmt.Errorf("wanted documents below %d, got %d", j.m.Documents, last)
	}
	return docs, nil
}
