package mainapi

import (
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// pageToken is the member of a response with the token of the next page, and the parameter of the request for it.
const pageToken = "next_token"

// page is what was read of one response.
type page struct {
	// matched reports that the response has the root.
	matched bool
	// members are the error members, and the token of the next page.
	members query.Record
}

var (
	// errNotAList is the error of a response that is no object and no list, and errRootNotAList that of a root that is none.
	errNotAList, errRootNotAList = errors.New("not a list"), errors.New("a root that is not a list")
	// errTooManyMembers is the error of an item with more members than are parsed.
	errTooManyMembers = errors.New("too many members")
	// errFull ends reading without being an error: there is no room for more items.
	errFull = errors.New("no room")
)

// pageReader reads one response as a stream, so that no more of it is in memory than the items.
type pageReader struct {
	query.Decoder
	page
	// add keeps an item. Its error ends reading.
	add func(item json.RawMessage) error
}

// readPage reads the items below a path of names. A response that is an array is the list itself; an empty one is no list, because
// the platform sends none, and something in its place might. Errors are those above, but errFull, and those of [query.NewDecoder].
func readPage(body io.Reader, root string, add func(json.RawMessage) error) (page, error) {
	r := pageReader{query.NewDecoder(body), page{members: query.Record{}}, add}
	err := r.read(strings.Split(root, "."), true)
	if err == nil {
		err = r.End()
	}
	if errors.Is(err, errFull) {
		err = nil
	}
	return r.page, err
}

// read reads the next value, which has the items below a path of names.
func (r *pageReader) read(path []string, isResponse bool) error {
	start, err := r.Token()
	isArray, isRoot := start == json.Delim('['), len(path) == 0
	switch {
	case err != nil:
		return err
	case start == json.Delim('{') && !isRoot:
		return r.Members(func(name string) error { return r.member(name, path, isResponse) })
	case isResponse && (!isArray || !r.More()):
		return errNotAList
	case isArray && (isResponse || isRoot):
		return r.items()
	case isArray:
		return r.SkipRest()
	case isRoot && start != nil:
		return errRootNotAList
	}
	r.matched = isRoot
	return nil
}

// member reads the value of a member of an object on the path.
func (r *pageReader) member(name string, path []string, isResponse bool) error {
	switch {
	case name == path[0]:
		return r.read(path[1:], false)
	case isResponse && (name == pageToken || slices.Contains(transport.ErrorMembers, name)):
		var member json.RawMessage
		err := r.Decode(&member)
		if name == pageToken || len(member) <= transport.MaxErrorMember {
			r.members[name] = member
		}
		return err
	}
	return r.Skip()
}

// items reads the rest of an array.
func (r *pageReader) items() error {
	r.matched = true
	for r.More() {
		var item json.RawMessage
		if err := r.Decode(&item); err != nil {
			return err
		}
		if query.Members(item) > query.MaxMembers {
			return errTooManyMembers
		}
		if err := r.add(item); err != nil {
			return err
		}
	}
	_, err := r.Token()
	return err
}
