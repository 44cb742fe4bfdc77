package gateway

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// errMalformed is the error of a body without the wanted data.
var errMalformed = errors.New("other data than wanted")

// readObject reads a body that is an object. It keeps the members of an error body, and lets read read each of the others.
func (c *Client) readObject(d query.Decoder, members record, read func(d query.Decoder, name string) error) error {
	if start, err := d.Token(); err != nil {
		return err
	} else if start != json.Delim('{') {
		return errMalformed
	}
	err := d.Members(func(name string) error {
		if !slices.Contains(transport.ErrorMembers, name) {
			return read(d, name)
		}
		err := readMember(d, members, name)
		if len(members[name]) > transport.MaxErrorMember {
			delete(members, name)
		}
		return err
	})
	if err != nil {
		return err
	}
	return d.End()
}

// readMember keeps a member.
func readMember(d query.Decoder, members record, name string) error {
	var member json.RawMessage
	err := d.Decode(&member)
	members[name] = member
	return err
}

// readRecord reads a body that is a record.
func readRecord(body io.Reader) (r record, err error) {
	d := query.NewDecoder(body)
	var raw json.RawMessage
	if err := d.Decode(&raw); err != nil {
		return nil, err
	}
	return parseRecord(raw), d.End()
}

// explainBody makes the error of reading a body a *transport.Error. members are those of an error body with the status 200, if it is one.
func (c *Client) explainBody(err error, members record, wanted string) error {
	var failed *transport.Error
	service := c.Transport.Service()
	switch {
	case err == nil, errors.As(err, &failed):
		return err
	case errors.Is(err, query.ErrValueTooLong):
		return service.TooLarge(fmt.Sprintf("sent a value of more than %d MB, the most that is read of one.", query.MaxValueBytes>>20))
	}
	if failure := c.errorIn(members); failure != nil && errors.Is(err, errMalformed) {
		return failure
	}
	return service.Malformed(http.StatusOK, "sent something other than "+wanted+". Check the gateway address in the data source's settings, section Fine-tuning.")
}

// errorIn is the error of an error body with the status 200, or nil.
func (c *Client) errorIn(members record) *transport.Error {
	body, err := json.Marshal(members)
	if err != nil {
		return nil //nolint:nilerr // what can't be written is no body of an error
	}
	return c.Transport.Service().FromErrorBody(body)
}
