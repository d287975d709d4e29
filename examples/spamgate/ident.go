package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/neardup/bleve-neardup/internal/strict"
)

// ident is an id in JSON: a name, or an integer, which stands for its digits, as ids are numbers
// in many databases.
type ident string

func (i *ident) UnmarshalJSON(text []byte) error {
	if digits := bytes.TrimPrefix(text, []byte("-")); len(bytes.Trim(digits, "0123456789")) == 0 {
		*i = ident(text)
		return nil
	}
	if text[0] != '"' {
		return fmt.Errorf("id: wanted a string or an integer, got %.40s", text)
	}
	return json.Unmarshal(text, (*string)(i))
}

// object reads a JSON object into v, a pointer to a struct. It knows no other members than v
// has, since a misspelled "tenant" would make a document everybody's.
func object(text []byte, v any) error {
	err := strict.Decode(text, v)
	if errors.As(err, new(*json.SyntaxError)) {
		return fmt.Errorf("wanted a JSON object, got %.40q: %w", text, err)
	}
	return err
}
