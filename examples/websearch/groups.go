package main

import (
	"context"
	"net/http"

	"github.com/neardup/bleve-neardup/plugin/near"
)

// grouping returns the groups under the rule of st.
func (s *site) grouping(ctx context.Context, st state) (*grouping, error) {
	c := &s.grouped
	select {
	case <-c.turn:
		defer func() { c.turn <- struct{}{} }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if c.last != nil && c.rule == st.Rule && c.chain == st.Chain {
		return c.last, nil
	}
	o := near.GroupsOptions{Rule: st.Rule}
	if st.Chain {
		o.By = near.Components
	}
	all := new(grouping)
	for group, err := range near.Groups(ctx, s.index, o) {
		if err != nil {
			return nil, err
		}
		size := len(group.Members) + 1
		all.docs += size
		all.largest = max(all.largest, size)
		listed := min(len(group.Members), maxCopies)
		all.more = append(all.more, len(group.Members)-listed)
		group.Members = append([]near.Member(nil), group.Members[:listed]...)
		all.groups = append(all.groups, group)
	}
	c.rule, c.chain, c.last = st.Rule, st.Chain, all
	return all, nil
}

// groupsView is what the groups tab shows.
type groupsView struct {
	state
	Entries               []entry
	Groups, Docs, Largest int
	Pager                 pager
}

func (s *site) groups(ctx context.Context, r *http.Request) (any, error) {
	st, err := s.read(r)
	if err != nil {
		return nil, err
	}
	all, err := s.grouping(ctx, st)
	if err != nil {
		return nil, err
	}
	view := groupsView{state: st, Groups: len(all.groups), Docs: all.docs, Largest: all.largest}
	view.Pager = pager{st, pagesOf(len(all.groups))}
	from := min((st.Page-1)*pageSize, len(all.groups))
	to := min(from+pageSize, len(all.groups))
	var ids []string
	for _, g := range all.groups[from:to] {
		ids = append(ids, g.Head.ID)
		for _, m := range g.Members {
			ids = append(ids, m.ID)
		}
	}
	named, err := s.docs(ctx, ids)
	if err != nil {
		return nil, err
	}
	for i, g := range all.groups[from:to] {
		e := entry{doc: named[g.Head.ID], Rank: from + i + 1, More: all.more[from+i], Open: st.IsOpen(g.Head.ID), State: st}
		for _, m := range g.Members {
			e.Copies = append(e.Copies, copied{doc: named[m.ID], Match: m.Match, Resemblance: m.Resemblance})
		}
		if err := s.unfold(ctx, &e); err != nil {
			return nil, err
		}
		view.Entries = append(view.Entries, e)
	}
	return view, nil
}
