package cluster

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/plugin/cluster/internal/rpc"
)

// maxRecord is the largest number of bytes of several documents in a record.
const maxRecord = 256 << 10

// write appends the documents to the log, each to its partition.
func (n *Node) write(ctx context.Context, claim uint64, all []*submission, parts int) error {
	if len(all) > 0 && parts == 0 {
		return errNoPlan
	}
	byPart := map[int][]*submission{}
	for _, s := range all {
		at := rpc.Place(s.doc.ID, parts)
		byPart[at] = append(byPart[at], s)
	}
	var mu sync.Mutex
	var errs []error
	var wait sync.WaitGroup
	for at, own := range byPart {
		for _, some := range chunks(own) {
			wait.Go(func() {
				seq, err := n.append(ctx, at, claim, some)
				mu.Lock()
				defer mu.Unlock()
				errs = append(errs, err)
				for _, s := range some {
					s.seq, s.outcome.Written = seq, err == nil
				}
			})
		}
	}
	wait.Wait()
	return errors.Join(errs...)
}

func (n *Node) append(ctx context.Context, part int, claim uint64, all []*submission) (uint64, error) {
	r := record{Claim: claim}
	for _, s := range all {
		r.Docs = append(r.Docs, document{s.doc.ID, s.data, s.outcome.Group})
	}
	body, err := json.Marshal(r)
	if err != nil {
		return 0, err
	}
	return n.log.Append(ctx, SubjectDocs(strconv.Itoa(part)), body)
}

// idBytes is how many bytes of JSON a byte of an id takes at most.
const idBytes = len(`\u0000`)

// chunks cuts documents into lists of at most maxRecord bytes, or of one document.
func chunks(all []*submission) (lists [][]*submission) {
	size := 0
	for _, s := range all {
		own := len(s.data) + idBytes*len(s.doc.ID)
		if size += own; lists == nil || size > maxRecord {
			lists, size = append(lists, nil), own
		}
		lists[len(lists)-1] = append(lists[len(lists)-1], s)
	}
	return lists
}

// Delete deletes documents by their ids, whether they are there or not.
func (n *Node) Delete(ctx context.Context, all ...string) error {
	ctx, cancel, err := n.while(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	parts, err := n.parts()
	if err != nil {
		return err
	}
	none, err := neardup.SignDocument(n.options.Mapping, n.options.Field, map[string]any{}, nil)
	if err != nil {
		return err
	}
	var rest []*submission
	for _, id := range slices.Compact(slices.Sorted(slices.Values(all))) {
		if !validID(id) {
			return fmt.Errorf("cluster: wanted ids of 1 to %d bytes of UTF-8, got %.60q (%d bytes)", MaxID, id, len(id))
		}
		rest = append(rest, &submission{doc: Document{ID: id}, data: json.RawMessage("null"), query: n.query(id, none), outcome: new(Outcome)})
	}
	if n.options.Group { // which others' names rest on
		for some := range slices.Chunk(rest, MaxDocuments) {
			n.admit(ctx, some)
		}
		for _, s := range rest {
			err = cmp.Or(err, s.outcome.Err)
		}
		return err
	}
	if err := n.write(ctx, 0, rest, len(parts)); err != nil {
		return fmt.Errorf("%w: %w", ErrUnknown, err)
	}
	_, err = n.claims.mark(ctx, SubjectMarks, 0)
	return err
}
