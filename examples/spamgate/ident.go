package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/neardup/bleve-neardup/internal/ids"
)

// ident is an id in JSON: a name, or an integer, which stands for its digits, as ids are numbers
// in many databases.
type ident string

func (i *ident) UnmarshalJSON(text []byte) error {
	if digits := bytes.TrimPrefix(text, []byte("-")); len(bytes.Trim(digits, "0123456789")) == 0 {
		*i = ident(text)
		return nil
	}
	if text[0] != '"' && text[0] != '{' {
		return fmt.Errorf("id: wanted a string or an integer, got %.40s", text)
	}
	return (*name)(i).UnmarshalJSON(text)
}

// strict reads a JSON object into v, a pointer to a struct. It knows no other members than v
// has, since a misspelled "tenant" would make a document everybody's.
func strict(text []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	err := d.Decode(v)
	if _, more := d.Token(); err == nil && more != io.EOF {
		err = errors.New("text after it")
	}
	wrong := (*json.UnmarshalTypeError)(nil)
	switch {
	case err == nil:
		return nil
	case errors.As(err, new(ids.Error)):
		return fmt.Errorf("ids and names: %w", err)
	case errors.As(err, &wrong) && wrong.Field != "":
		field := wrong.Field[strings.LastIndexByte(wrong.Field, '.')+1:]
		return fmt.Errorf("%s: wanted %s, got a JSON %s", field, wanted(wrong.Type), wrong.Value)
	case errors.As(err, &wrong):
		return fmt.Errorf("wanted a JSON object, got a JSON %s", wrong.Value)
	}
	if member, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		return fmt.Errorf("wanted no members but %s; got %.40s", strings.Join(members(reflect.TypeOf(v).Elem()), ", "), member)
	}
	if strings.HasPrefix(err.Error(), "id: ") {
		return err
	}
	return fmt.Errorf("wanted a JSON object, got %.40q: %w", text, err)
}

// wanted names a type as JSON does.
func wanted(t reflect.Type) string {
	if t.Kind() == reflect.Slice {
		return "an array of strings"
	}
	return "a string"
}

// members are the names of a struct's members in JSON, including embedded structs.
func members(t reflect.Type) (names []string) {
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name != "" && len(f.Index) > 0 {
			names = append(names, name)
		}
	}
	return names
}

// name is an id, a tenant or the name of a mark, in JSON: a string, or {"base64": "..."} if it
// is not UTF-8. A string that is not is an error, as another name would be made of it.
type name = ids.ID
