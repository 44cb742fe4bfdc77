package transport

import (
	"bytes"
	"errors"
	"io"
)

const (
	firstPiece = 4 << 10
	lastPiece  = 1 << 20
)

// ReadAll reads a body to its end, in pieces that it joins at the end. Unlike io.ReadAll, it reads at most 1 MiB into a piece, so
// that little more than the length of the body is allocated until then, and it does not join what was read before an error, such
// as that of a body over the response limit.
func ReadAll(body io.Reader) ([]byte, error) {
	var pieces [][]byte
	piece := make([]byte, 0, firstPiece)
	for {
		n, err := body.Read(piece[len(piece):cap(piece)])
		piece = piece[:len(piece)+n]
		if errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return joined(pieces, piece), nil
		}
		if err != nil {
			return nil, err
		}
		if len(piece) == cap(piece) {
			pieces = append(pieces, piece)
			piece = make([]byte, 0, min(2*cap(piece), lastPiece))
		}
	}
}

func joined(pieces [][]byte, last []byte) []byte {
	if len(pieces) == 0 {
		return last
	}
	return bytes.Join(append(pieces, last), nil)
}
