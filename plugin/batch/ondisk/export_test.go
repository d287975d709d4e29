package ondisk

// Stop makes a job fail where fault does: between any two changes to its directory, and
// within a change.
func (j *Job) Stop(fault func() error) { j.fault = fault }

// Small makes a job use that many bytes for rows and signatures, so that it spills small
// runs and divides small buckets.
func (j *Job) Small(bytes int64) { j.small = bytes }
