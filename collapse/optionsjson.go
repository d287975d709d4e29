package collapse

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
)

// UnmarshalJSON fills o from JSON; unknown members are errors, and so are values
// that Search would reject.
func (o *Options) UnmarshalJSON(data []byte) error {
	type plain Options
	var v plain
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&v); err != nil {
		return fmt.Errorf("collapse: options: %w", wanted(err))
	}
	if _, err := Options(v).filled(); err != nil {
		return err
	}
	*o = Options(v)
	return nil
}

// wanted says what a member of JSON has to be, in place of an error that tells of types of
// Go. Other errors stay as they are.
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
	if t.Field == "" {
		return fmt.Errorf("wanted %s, got %s", want, got)
	}
	return fmt.Errorf("%s: wanted %s, got %s", t.Field, want, got)
}
