package gateway

import (
	"bufio"
	"io"
	"strings"
)

// bareNumbers are the words for numbers that are not finite which Python's json.dumps writes, though JSON has none.
var bareNumbers = []string{"NaN", "Infinity", "-Infinity"}

// withTexts reads JSON, and makes texts of bareNumbers, which records are read with. Nothing else that is not JSON becomes readable,
// but members with these names.
type withTexts struct {
	body *bufio.Reader
	// isText is set within a text, and isEscaped after a backslash there.
	isText, isEscaped bool
	// last is the last byte outside of texts that is no space.
	last byte
	// text is the rest of a text that is read next.
	text string
}

func newWithTexts(body io.Reader) io.Reader { return &withTexts{body: bufio.NewReader(body)} }

func (w *withTexts) Read(p []byte) (n int, err error) {
	for n < len(p) {
		if w.text != "" {
			copied := copy(p[n:], w.text)
			w.text = w.text[copied:]
			n += copied
			continue
		}
		if n > 0 && w.body.Buffered() == 0 { // what there is doesn't wait for more
			break
		}
		b, err := w.body.ReadByte()
		if err != nil {
			return n, err
		}
		if !w.startsWord(b) {
			w.follow(b)
			p[n] = b
			n++
		}
	}
	return n, nil
}

// startsWord makes a text of a word that starts with a byte, where a value may begin.
func (w *withTexts) startsWord(b byte) bool {
	for _, word := range bareNumbers {
		if b != word[0] || w.isText || !strings.ContainsRune(":[,", rune(w.last)) {
			continue
		}
		if rest, _ := w.body.Peek(len(word) - 1); string(rest) == word[1:] {
			_, _ = w.body.Discard(len(rest))
			w.text, w.last = `"`+word+`"`, '"'
			return true
		}
	}
	return false
}

// follow keeps where a byte leads.
func (w *withTexts) follow(b byte) {
	switch {
	case w.isText:
		w.isText = b != '"' || w.isEscaped
		w.isEscaped = b == '\\' && !w.isEscaped
	case b != ' ' && b != '\n' && b != '\r' && b != '\t':
		w.isText, w.last = b == '"', b
	}
}
