// Package strict reads JSON in which each member must be known.
package strict

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// Decode reads data into v. Unknown members are errors. An error about a value of the wrong type
// says what the member has to be, in place of a type of Go. In v, an embedded struct must be
// named plain.
func Decode(data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	return wanted(d.Decode(v))
}

// wanted says what a member of JSON has to be. Other errors stay as they are.
func wanted(err error) error {
	t := new(json.UnmarshalTypeError)
	if !errors.As(err, &t) {
		return err
	}
	var want string
	switch t.Type.Kind() {
	case reflect.Bool:
		want = "true or false"
	case reflect.String:
		want = "a string"
	case reflect.Slice, reflect.Array:
		want = "a list"
	case reflect.Int, reflect.Int64:
		want = "a whole number"
	case reflect.Float64:
		want = "a number"
	default:
		want = "an object"
	}
	got := map[string]string{"bool": "true or false", "string": "a string", "array": "a list", "object": "an object", "number": "a number"}[t.Value]
	if got == "" {
		got = t.Value // such as "number 1.5"
	}
	field := strings.TrimPrefix(t.Field, "plain.") // which is embedded
	if field == "" {
		return fmt.Errorf("wanted %s, got %s", want, got)
	}
	return fmt.Errorf("%s: wanted %s, got %s", field, want, got)
}
