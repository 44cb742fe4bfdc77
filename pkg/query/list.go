package query

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// maxBody bounds a response with records, in bytes. It is held whole; of its items only those that are kept are copied.
const maxBody = 64 << 20

// ErrEnough ends the reading of a list without being an error of it.
var ErrEnough = errors.New("enough items")

// ReadBody reads a response. Errors are *transport.Error.
func ReadBody(from transport.Service, body io.Reader) ([]byte, error) {
	raw, err := io.ReadAll(io.LimitReader(body, maxBody+1))
	if len(raw) > maxBody {
		return nil, from.TooLarge(fmt.Sprintf("sent more than %d MB, the most that is read of a list.", maxBody>>20))
	}
	return raw, err
}

// Listed is what a response with a list has besides its items.
type Listed struct {
	// HasRoot reports that the response has the root, and IsOther that this is neither a list nor null.
	HasRoot, IsOther bool
	// Members are those of the response.
	Members Record
}

// ReadList visits the items of a response with a list: those below the root, a path of names. A response that is an array is the list
// itself; an empty one is no list, because no service sends one, and something in its place might. An error body in place of the root is an error. Errors are *transport.Error, or those of add, which end reading.
func ReadList(from transport.Service, response []byte, root []string, add func(item json.RawMessage) error) (Listed, error) {
	found, list := Listed{HasRoot: true}, json.RawMessage(bytes.TrimSpace(response))
	if isList := len(list) > 0 && list[0] == '['; isList && (!json.Valid(list) || string(bytes.TrimSpace(list[1:])) == "]") {
		return found, Malformed(from, nil, "a list")
	} else if !isList {
		found.Members = ParseRecord(list)
		for _, name := range root {
			list, found.HasRoot = ParseRecord(list)[name]
		}
	}
	switch {
	case found.HasRoot && string(list) == "null":
		return found, nil
	case found.HasRoot && list[0] == '[':
		return found, Elements(list, add)
	case found.Members == nil:
		return found, Malformed(from, nil, "a list")
	}
	found.HasRoot, found.IsOther = false, found.HasRoot
	if failure := from.FromErrorBody(found.Members); failure != nil && !found.IsOther {
		return found, failure
	}
	return found, nil
}

// Elements visits those of a valid list one by one, so that the ones that are left out take no memory. Of another value there are none.
func Elements(list json.RawMessage, visit func(json.RawMessage) error) error {
	if len(list) == 0 || list[0] != '[' {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(list))
	_, err := d.Token()
	for err == nil && d.More() {
		var one json.RawMessage
		if err = d.Decode(&one); err == nil {
			err = visit(one)
		}
	}
	if errors.Is(err, ErrEnough) {
		return nil
	}
	return err
}

// Malformed is the error of a response with other data than wanted, "a job": that in it, if it is an error body with the status 200.
func Malformed(from transport.Service, members Record, wanted string) *transport.Error {
	if failure := from.FromErrorBody(members); failure != nil {
		return failure
	}
	return from.Malformed(http.StatusOK, "sent something other than "+wanted+". "+transport.CheckAddress)
}
