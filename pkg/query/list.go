package query

import (
	"encoding/json"
	"errors"
	"io"
	"slices"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// ErrEnough ends the reading of a list without being an error of it.
var ErrEnough = errors.New("enough items")

// errNotAList is the error of a response that is no object and no list.
var errNotAList = errors.New("not a list")

// Listed is what was read of a response with a list, besides its items.
type Listed struct {
	// HasRoot reports that the response has the root, and IsOther that this is neither a list nor null.
	HasRoot, IsOther bool
	// Members are those of the response that are kept.
	Members Record
}

// ReadList reads the items of a response with a list as a stream, so that no more of it is in memory than they: those below the root, a path
// of names. A response that is an array is the list itself; an empty one is no list, because no service sends one, and something in
// its place might. An error body in place of the root is an error.
//
// keep are the members of the response that are kept. Errors are *transport.Error, or those of add, which end reading.
func ReadList(from transport.Service, body io.Reader, root, keep []string, add func(item json.RawMessage) error) (Listed, error) {
	r := newListReader(body, keep)
	r.item = func() error { return r.decodeItem(add) }
	return r.response(from, root, "a list")
}

// Group are items of a response that belong together, such as the values of a metric.
type Group struct {
	// Items is the member with the list of items, and Members are those that are kept.
	Items   string
	Members []string
}

// ReadGroups is [ReadList] of groups, which may be longer than a value: add gets their items one by one. After those of a group, end
// gets its other members. What is no object is left out. wanted names what is read.
func ReadGroups(
	from transport.Service, body io.Reader, wanted, root string, group Group, add func(item json.RawMessage) error, end func(members Record),
) error {
	r := newListReader(body, nil)
	r.item = func() error {
		start, err := r.Token()
		if start == json.Delim('[') {
			return r.skipRest()
		}
		if err != nil || start != json.Delim('{') {
			return err
		}
		members := Record{}
		err = r.members(func(name string) error {
			switch {
			case name == group.Items:
				return r.elements(func() error { return r.decodeItem(add) })
			case slices.Contains(group.Members, name):
				var member json.RawMessage
				err := r.Decode(&member)
				members[name] = member
				return err
			}
			return r.skip()
		})
		if err == nil {
			end(members)
		}
		return err
	}
	_, err := r.response(from, []string{root}, wanted)
	return err
}

// listReader reads one response.
type listReader struct {
	decoder
	Listed
	keep []string
	// item reads an item.
	item func() error
}

func newListReader(body io.Reader, keep []string) *listReader {
	return &listReader{newDecoder(body), Listed{Members: Record{}}, transport.ErrorMembers(keep...), nil}
}

// response reads the response.
func (r *listReader) response(from transport.Service, root []string, wanted string) (Listed, error) {
	err := r.read(root, true)
	if err == nil {
		err = r.end()
	}
	if errors.Is(err, ErrEnough) {
		return r.Listed, nil
	}
	if failure := from.FromErrorBody(r.Members); err == nil && !r.HasRoot && failure != nil {
		return r.Listed, failure
	}
	return r.Listed, explain(from, err, r.Members, wanted)
}

func (r *listReader) decodeItem(add func(item json.RawMessage) error) error {
	var item json.RawMessage
	if err := r.Decode(&item); err != nil {
		return err
	}
	return add(item)
}

// read reads the next value, which has the items below a path of names.
func (r *listReader) read(path []string, isResponse bool) error {
	start, err := r.Token()
	isArray, isRoot := start == json.Delim('['), len(path) == 0
	switch {
	case err != nil:
		return err
	case start == json.Delim('{') && !isRoot:
		return r.members(func(name string) error { return r.member(name, path, isResponse) })
	case isResponse && (!isArray || !r.More()):
		return errNotAList
	case isArray && (isResponse || isRoot):
		return r.items()
	case isArray:
		return r.skipRest()
	}
	r.HasRoot = isRoot && start == nil
	r.IsOther = isRoot && start != nil
	if start == json.Delim('{') {
		return r.skipRest()
	}
	return nil
}

// member reads the value of a member of an object on the path.
func (r *listReader) member(name string, path []string, isResponse bool) error {
	if name == path[0] {
		return r.read(path[1:], false)
	}
	if !isResponse || !slices.Contains(r.keep, name) {
		return r.skip()
	}
	var member json.RawMessage
	err := r.Decode(&member)
	r.Members[name] = member
	return err
}

// items reads the rest of an array.
func (r *listReader) items() error {
	r.HasRoot = true
	return r.rest(r.item)
}
