package gate

// flight is a batch that was judged and is being written.
type flight struct {
	done    chan struct{}
	touched map[string]bool // ids that it writes or deletes
	read    map[string]bool // ids of documents in the index that its verdicts rest on
	written *written        // as it was judged
}

// flights are all batches that are being written.
type flights []*flight

// meets returns a flight that adds a near-duplicate of d, nil if there is none.
func (all flights) meets(d *Document) *flight {
	for _, f := range all {
		for range f.written.near(d) {
			return f
		}
	}
	return nil
}

// writing returns the flight that writes or deletes the document of that id.
func (all flights) writing(id string) *flight {
	for _, f := range all {
		if f.touched[id] {
			return f
		}
	}
	return nil
}

// using returns the flight that writes, deletes, or rests on the document of that id.
func (all flights) using(id string) *flight {
	for _, f := range all {
		if f.touched[id] || f.read[id] {
			return f
		}
	}
	return nil
}
