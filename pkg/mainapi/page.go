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

// token is that of the next page, or empty.
func (p page) token() string { return p.members.Text(pageToken) }

// errNotAList is the error of a response that is a single value, and errSingleValue that of a root that is one.
var (
	errNotAList    = errors.New("not a list")
	errSingleValue = errors.New("a single value")
)

// pageReader reads one response as a stream, so that no more of it is in memory than the items.
type pageReader struct {
	query.Decoder
	page
	// add keeps an item, and returns false if it is the last one that is read.
	add func(item json.RawMessage) bool
}

// readPage reads the items below a path of names. A response that is an array is the list itself; an empty one is no list, because
// the platform sends none, and something in its place might. It stops when add returns false. Errors are errNotAList, errSingleValue,
// and those of [query.NewDecoder].
func readPage(body io.Reader, root []string, add func(json.RawMessage) bool) (page, error) {
	r := pageReader{Decoder: query.NewDecoder(body), page: page{members: query.Record{}}, add: add}
	more, err := r.read(root, true)
	if err == nil && more {
		err = r.End()
	}
	return r.page, err
}

// read reads the next value, which is that below a path of names. It returns false if there is no room for more items.
func (r *pageReader) read(path []string, isResponse bool) (more bool, err error) {
	start, err := r.Token()
	if err != nil {
		return false, err
	}
	isArray, isObject := start == json.Delim('['), start == json.Delim('{')
	switch {
	case isArray && isResponse && !r.More():
		return false, errNotAList
	case isArray && (isResponse || len(path) == 0):
		return r.items()
	case isArray:
		return true, r.SkipRest()
	case isObject && len(path) == 0:
		return r.oneItem()
	case isObject:
		return r.object(path, isResponse)
	case isResponse:
		return false, errNotAList
	case len(path) > 0:
		return true, nil
	}
	if r.matched = true; start != nil {
		return false, errSingleValue
	}
	return true, nil
}

// items reads the rest of an array.
func (r *pageReader) items() (more bool, err error) {
	r.matched = true
	for r.More() {
		var item json.RawMessage
		if err := r.Decode(&item); err != nil {
			return false, err
		}
		if query.Members(item) > query.MaxMembers {
			return false, errTooManyMembers
		}
		if !r.add(item) {
			return false, nil
		}
	}
	_, err = r.Token()
	return true, err
}

// errTooManyMembers is the error of an item with more members than are parsed.
var errTooManyMembers = errors.New("too many members")

// oneItem reads the rest of an object, which is the only item.
func (r *pageReader) oneItem() (more bool, err error) {
	r.matched = true
	members, bytes := query.Record{}, 0
	err = r.Members(func(name string) error {
		var member json.RawMessage
		if err := r.Decode(&member); err != nil {
			return err
		}
		members[name] = member
		bytes += len(name) + len(member)
		switch {
		case len(members) > query.MaxMembers:
			return errTooManyMembers
		case bytes > query.MaxValueBytes:
			return query.ErrValueTooLong
		}
		return nil
	})
	if err != nil {
		return false, err
	}
	item, err := json.Marshal(members)
	return err == nil && r.add(item), err
}

// object reads the rest of an object, whose member of the first name leads to the items.
func (r *pageReader) object(path []string, isResponse bool) (more bool, err error) {
	for r.More() {
		token, err := r.Token()
		if err != nil {
			return false, err
		}
		name, _ := token.(string)
		switch {
		case name == path[0]:
			if more, err = r.read(path[1:], false); err != nil || !more {
				return more, err
			}
		case isResponse && (name == pageToken || slices.Contains(transport.ErrorMembers, name)):
			var member json.RawMessage
			if err := r.Decode(&member); err != nil {
				return false, err
			}
			if name == pageToken || len(member) <= transport.MaxErrorMember {
				r.members[name] = member
			}
		default:
			if err := r.Skip(); err != nil {
				return false, err
			}
		}
	}
	_, err = r.Token()
	return true, err
}

// names are those of a dotted path.
func names(path string) []string { return strings.Split(path, ".") }
