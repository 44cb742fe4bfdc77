package query

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// maxValueBytes bounds each text, name and decoded value of a response, in bytes. Those of the platform have some kilobytes.
const maxValueBytes = 4 << 20

// errValueTooLong is the error of a response with a longer value.
var errValueTooLong = errors.New("a value is too long")

// decoder reads the JSON of a response as a stream. It holds no more of it than maxValueBytes and what it reads ahead.
type decoder struct{ *json.Decoder }

// newDecoder makes a decoder. Errors of its methods are errValueTooLong, those of the body, and those of encoding/json.
func newDecoder(body io.Reader) decoder {
	ahead := &boundedAhead{body: body}
	ahead.decoder = json.NewDecoder(ahead)
	return decoder{ahead.decoder}
}

// boundedAhead bounds how far a decoder reads beyond the beginning of the value that it decodes, all of which it keeps.
type boundedAhead struct {
	body    io.Reader
	decoder *json.Decoder
	read    int64
}

func (b *boundedAhead) Read(p []byte) (int, error) {
	room := b.decoder.InputOffset() + maxValueBytes - b.read
	if room <= 0 {
		return 0, errValueTooLong
	}
	n, err := b.body.Read(p[:min(int64(len(p)), room)])
	b.read += int64(n)
	return n, err
}

// skip reads the next value without keeping it.
func (d decoder) skip() error {
	start, err := d.Token()
	if _, isDelim := start.(json.Delim); err != nil || !isDelim {
		return err
	}
	return d.skipRest()
}

// skipRest reads the rest of an array or object without keeping it.
func (d decoder) skipRest() error {
	for depth := 1; depth > 0; {
		token, err := d.Token()
		if err != nil {
			return err
		}
		switch token {
		case json.Delim('['), json.Delim('{'):
			depth++
		case json.Delim(']'), json.Delim('}'):
			depth--
		}
	}
	return nil
}

// members reads the rest of an object. For each member it calls read, which reads the value of the member.
func (d decoder) members(read func(name string) error) error {
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return err
		}
		name, _ := token.(string)
		if err := read(name); err != nil {
			return err
		}
	}
	_, err := d.Token()
	return err
}

// elements reads an array. For each element it calls read, which reads the element. It skips another value.
func (d decoder) elements(read func() error) error {
	switch start, err := d.Token(); {
	case err != nil:
		return err
	case start == json.Delim('['):
		return d.rest(read)
	case start == json.Delim('{'):
		return d.skipRest()
	}
	return nil
}

// rest reads the rest of an array, element by element.
func (d decoder) rest(read func() error) error {
	for d.More() {
		if err := read(); err != nil {
			return err
		}
	}
	_, err := d.Token()
	return err
}

// end is an error if anything follows.
func (d decoder) end() error {
	switch _, err := d.Token(); {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		return err
	}
	return errors.New("more than one value")
}

// ReadRecord reads a response that is a record, which wanted names: "a job"; see [ParseRecord]. Errors are *transport.Error.
func ReadRecord(from transport.Service, body io.Reader, wanted string) (Record, error) {
	d := newDecoder(body)
	var raw json.RawMessage
	err := d.Decode(&raw)
	if err == nil {
		err = d.end()
	}
	return ParseRecord(raw), explain(from, err, nil, wanted)
}

// explain makes an error of reading a response a *transport.Error, unless it is an *[Error]. members are those of an error body, if it is one.
func explain(from transport.Service, err error, members Record, wanted string) error {
	var failed *transport.Error
	var written *Error
	switch {
	case err == nil, errors.As(err, &failed), errors.As(err, &written):
		return err
	case errors.Is(err, errValueTooLong):
		return from.TooLarge(fmt.Sprintf("sent a value of more than %d MB, the most that is read of one.", maxValueBytes>>20))
	}
	return Malformed(from, members, wanted)
}

// Malformed is the error of a response with other data than wanted: that in it, if it is an error body with the status 200.
func Malformed(from transport.Service, members Record, wanted string) *transport.Error {
	if failure := from.FromErrorBody(members); failure != nil {
		return failure
	}
	return from.Malformed(http.StatusOK, strings.TrimSpace("sent something other than "+wanted+". "+from.Advice.Address))
}
