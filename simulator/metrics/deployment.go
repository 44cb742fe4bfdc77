package metrics

import (
	"slices"
	"strings"
)

// DefaultPrefix is what the names of the platform's own metrics begin with, before an underscore.
const DefaultPrefix = "vendor"

// Named gives the platform's own metrics another prefix, as another vendor would. "" leaves them as they are.
func (s *Store) Named(prefix string) *Store {
	if prefix == "" {
		return s
	}
	s.rename(func(name string) string {
		if rest, ok := strings.CutPrefix(name, DefaultPrefix+"_"); ok {
			return prefix + "_" + rest
		}
		return name
	})
	return s
}

// rename gives series other names.
func (s *Store) rename(renamed func(string) string) {
	for i := range s.columns {
		s.columns[i].name = renamed(s.columns[i].name)
	}
	slices.SortFunc(s.columns, func(a, b column) int { return strings.Compare(a.name, b.name) })
}

// Without takes away every family whose name contains one of the parts, as where an agent or an add-on isn't installed.
func (s *Store) Without(parts ...string) *Store {
	s.columns = slices.DeleteFunc(s.columns, func(c column) bool {
		return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(c.name, part) })
	})
	return s
}
