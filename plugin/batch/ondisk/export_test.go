package ondisk

// Stop makes a job fail where fault does: between any two changes to its directory, and
// within a change.
func (j *Job) Stop(fault func() error) { j.fault = fault }

// Small makes a job have that many rows in a run, and process as many together.
func (j *Job) Small(rows int) { j.small = rows }
