package main

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"github.com/neardup/bleve-neardup/plugin/admission"
)

// click does what a button of the status page says, and shows the page again. http.CrossOriginProtection
// rejects clicks that come from another site.
func (s *server) click(w http.ResponseWriter, r *http.Request) {
	body, ok := s.body(w, r)
	if !ok {
		return
	}
	form, err := url.ParseQuery(string(body))
	if err == nil {
		err = s.gate.click(r.Context(), form)
	}
	switch {
	case errors.Is(err, errNotFound):
		http.Error(w, err.Error(), http.StatusNotFound)
	case err != nil:
		http.Error(w, err.Error(), http.StatusBadRequest)
	default:
		http.Redirect(w, r, r.URL.RequestURI(), http.StatusSeeOther)
	}
}

// click marks the text of a verdict, or removes a mark.
func (g *gate) click(ctx context.Context, form url.Values) error {
	if form.Has("unmark") {
		name, err := base64.RawURLEncoding.DecodeString(form.Get("unmark"))
		if err != nil {
			return fmt.Errorf("unmark: wanted the name of a mark in base64, got %.40q", form.Get("unmark"))
		}
		return g.inner.Unmark(ctx, string(name))
	}
	number, err := strconv.Atoi(form.Get("verdict"))
	if err != nil {
		return fmt.Errorf("verdict: wanted the number of one, got %.40q", form.Get("verdict"))
	}
	return g.markVerdict(ctx, number, admission.Label(form.Get("label")))
}
