package cluster

// Stop makes a job fail where fault does: between any two things it does to its directory,
// and within.
func (j *Job) Stop(fault func() error) { j.fault = fault }

// Small makes a job use so many bytes for rows and signatures, and so spill small runs
// and divide small buckets.
func (j *Job) Small(bytes int64) { j.small = bytes }
