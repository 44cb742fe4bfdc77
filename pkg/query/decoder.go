package query

import (
	"encoding/json"
	"errors"
	"io"
)

// MaxValueBytes bounds each text, name and decoded value of a response, in bytes. Those of the platform have some kilobytes.
const MaxValueBytes = 4 << 20

// ErrValueTooLong is the error of a response with a value over [MaxValueBytes].
var ErrValueTooLong = errors.New("a value is too long")

// Decoder reads the JSON of a response as a stream. It holds no more of it than [MaxValueBytes] and what it reads ahead.
type Decoder struct{ *json.Decoder }

// NewDecoder makes a decoder. Errors of its methods are ErrValueTooLong, those of the body, and those of encoding/json.
func NewDecoder(body io.Reader) Decoder {
	ahead := &boundedAhead{body: body}
	ahead.decoder = json.NewDecoder(ahead)
	return Decoder{ahead.decoder}
}

// boundedAhead bounds how far a decoder reads beyond the beginning of the value that it decodes, all of which it keeps.
type boundedAhead struct {
	body    io.Reader
	decoder *json.Decoder
	read    int64
}

func (b *boundedAhead) Read(p []byte) (int, error) {
	room := b.decoder.InputOffset() + MaxValueBytes - b.read
	if room <= 0 {
		return 0, ErrValueTooLong
	}
	n, err := b.body.Read(p[:min(int64(len(p)), room)])
	b.read += int64(n)
	return n, err
}

// Skip reads the next value without keeping it.
func (d Decoder) Skip() error {
	start, err := d.Token()
	if _, isDelim := start.(json.Delim); err != nil || !isDelim {
		return err
	}
	return d.SkipRest()
}

// SkipRest reads the rest of an array or object without keeping it.
func (d Decoder) SkipRest() error {
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

// Members reads the rest of an object. For each member it calls read, which reads the value of the member.
func (d Decoder) Members(read func(name string) error) error {
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

// End is an error if anything follows.
func (d Decoder) End() error {
	switch _, err := d.Token(); {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		return err
	}
	return errors.New("more than one value")
}
