//go:build !unix

package neartest

import "time"

// CPU is not known here.
func CPU() time.Duration { return 0 }
