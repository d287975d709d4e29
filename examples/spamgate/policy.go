package main

import (
	"fmt"
	"os"

	"github.com/neardup/bleve-neardup/plugin/admission"
)

// defaultPolicy stops campaigns and what was marked, and tags near-duplicates. Its rule is
// the default one, which sees few of the changed copies of mails below 80 words.
const defaultPolicy = `{"scope":"tenant","time":"date","near":"tag","floods":[{"copies":3,"window":"24h"}],"known":"reject"}`

// readPolicy reads the policy of a file, or the default.
func readPolicy(file string) (*admission.Policy, error) {
	data := []byte(defaultPolicy)
	if file != "" {
		var err error
		if data, err = os.ReadFile(file); err != nil {
			return nil, err
		}
	}
	p, err := admission.ParsePolicy(data)
	if err == nil && p.Scope != "" && p.Scope != "tenant" {
		err = fmt.Errorf(`scope: wanted "tenant", or none if no document has a tenant; got %q`, p.Scope)
	}
	if err == nil && p.Time != "" && p.Time != "date" {
		err = fmt.Errorf(`time: wanted "date", or none for the time of arrival; got %q`, p.Time)
	}
	if err != nil && file != "" {
		err = fmt.Errorf("%s: %w", file, err)
	}
	return p, err
}
