package query

import (
	"encoding/json"
	"errors"
	"io"
)

var (
	// ErrNotAList is the error of a response that is no object and no list.
	ErrNotAList = errors.New("not a list")
	// ErrRootNotAList is the error of a root that is none.
	ErrRootNotAList = errors.New("a root that is not a list")
	// ErrEnough ends the reading of a list without being an error of it.
	ErrEnough = errors.New("enough items")
)

// Listed is what was read of a response with a list, besides its items.
type Listed struct {
	// HasRoot reports that the response has the root.
	HasRoot bool
	// Members are those of the response that are kept.
	Members Record
}

// ReadList reads the items of a response with a list as a stream, so that no more of it is in memory than they: those below the root, a path
// of names. A response that is an array is the list itself; an empty one is no list, because no service sends one, and something in
// its place might. The errors are those above, those of add, which ends reading, ErrValueTooLong, those of the body, and those of encoding/json.
//
// keep is how long a member of the response may be that is kept; 0 is for others.
func ReadList(body io.Reader, root []string, keep func(name string) int, add func(item json.RawMessage) error) (Listed, error) {
	r := listReader{newDecoder(body), Listed{Members: Record{}}, keep, add}
	err := r.read(root, true)
	if err == nil {
		err = r.end()
	}
	if errors.Is(err, ErrEnough) {
		err = nil
	}
	return r.Listed, err
}

// listReader reads one response.
type listReader struct {
	decoder
	Listed
	keep func(name string) int
	add  func(item json.RawMessage) error
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
		return ErrNotAList
	case isArray && (isResponse || isRoot):
		return r.items()
	case isArray:
		return r.skipRest()
	case isRoot && start != nil:
		return ErrRootNotAList
	}
	r.HasRoot = isRoot
	return nil
}

// member reads the value of a member of an object on the path.
func (r *listReader) member(name string, path []string, isResponse bool) error {
	if name == path[0] {
		return r.read(path[1:], false)
	}
	most := r.keep(name)
	if !isResponse || most == 0 {
		return r.skip()
	}
	var member json.RawMessage
	err := r.Decode(&member)
	if len(member) <= most {
		r.Members[name] = member
	}
	return err
}

// items reads the rest of an array.
func (r *listReader) items() error {
	r.HasRoot = true
	for r.More() {
		var item json.RawMessage
		if err := r.Decode(&item); err != nil {
			return err
		}
		if err := r.add(item); err != nil {
			return err
		}
	}
	_, err := r.Token()
	return err
}
