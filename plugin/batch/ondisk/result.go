package ondisk

import "iter"

// Group is a group of near-duplicates.
type Group struct {
	Head    string   `json:"head"`    // the id of the document to keep
	Members []string `json:"members"` // the ids of the others
}

// groupsAtOnce is the number of documents whose ids are read together.
const groupsAtOnce = 1 << 16

// Groups yields the groups, with the groups of one component one after another, in the
// order in which the first document of the component was added. The head is the document
// with most tokens, and among these the one with the least id; members follow in the same
// order. Groups ends at the first error.
func (j *Job) Groups() iter.Seq2[Group, error] {
	return func(yield func(Group, error) bool) {
		if err := j.groups(func(g Group) bool { return yield(g, nil) }); err != nil {
			yield(Group{}, err)
		}
	}
}

func (j *Job) groups(yield func(Group) bool) error {
	r := &run{Job: j}
	var rows []row // the keys are not used
	var sizes []int
	flush := func() (more bool, err error) {
		ids, err := r.ids(rows)
		if err != nil {
			return false, err
		}
		for _, n := range sizes {
			if !yield(Group{ids[0], ids[1:n:n]}) {
				return false, nil
			}
			ids = ids[n:]
		}
		rows, sizes = rows[:0], sizes[:0]
		return true, nil
	}
	for docs, err := range j.written() {
		if err != nil {
			return err
		}
		for _, doc := range docs {
			rows = append(rows, row{doc: doc})
		}
		if sizes = append(sizes, len(docs)); len(rows) >= groupsAtOnce {
			if more, err := flush(); !more {
				return err
			}
		}
	}
	_, err := flush()
	return err
}

// Keep yields the ids of the documents to keep, in the order in which they were added: the
// heads of groups, and all documents that are in no group. It ends at the first error.
func (j *Job) Keep() iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		if err := j.keep(func(id string) bool { return yield(id, nil) }); err != nil {
			yield("", err)
		}
	}
}

func (j *Job) keep(yield func(id string) bool) error {
	dropped := make(bitmap, (j.m.Documents+7)/8)
	for docs, err := range j.written() {
		if err != nil {
			return err
		}
		for _, doc := range docs[1:] {
			dropped.set(doc)
		}
	}
	ids := j.idReader()
	for doc := range uint32(j.m.Documents) {
		id, err := ids.at(doc)
		if err != nil {
			return err
		}
		if !dropped.has(doc) && !yield(id) {
			return nil
		}
	}
	return nil
}
