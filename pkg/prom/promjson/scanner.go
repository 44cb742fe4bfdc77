package promjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"unicode/utf8"
)

const (
	bufferSize = 128 << 10
	// lookahead is the length up to which numbers are decoded in place, in bytes.
	lookahead = 64
	// maxDepth bounds nesting, as in encoding/json.
	maxDepth = 10_000
	// maxText bounds the length of a string, in bytes. The strings of a response are names, labels and messages.
	maxText = 1 << 20
	// maxTexts bounds the number of warnings or infos; the rest are dropped.
	maxTexts = 1000
)

// scanner reads JSON tokens from a stream through one buffer. The slices that it returns are valid until its next call.
type scanner struct {
	r          io.Reader
	buf        []byte
	start, end int    // the unread part of buf
	long       []byte // a string that isn't plain, or that crosses the end of the buffer
	depth      int    // of the current object or list
	readErr    error  // an error of the reader, which takes precedence over the malformed response that it causes
}

func (s *scanner) reset(r io.Reader) {
	s.r, s.start, s.end, s.depth, s.readErr = r, 0, 0, 0, nil
}

// fill makes room in the buffer and reads more. It returns false at the end of the stream.
func (s *scanner) fill() bool {
	if s.r == nil {
		return false
	}
	if s.start > 0 {
		s.end = copy(s.buf, s.buf[s.start:s.end])
		s.start = 0
	}
	for s.end < len(s.buf) {
		n, err := s.r.Read(s.buf[s.end:])
		s.end += n
		if err != nil {
			if !errors.Is(err, io.EOF) {
				s.readErr = err
			}
			s.r = nil
		}
		if n > 0 || err != nil {
			return n > 0
		}
	}
	return false
}

// buffered is the unread part of the buffer: at least lookahead bytes, or the rest of the body if that is shorter.
func (s *scanner) buffered() []byte {
	for s.end-s.start < lookahead && s.fill() {
	}
	return s.buf[s.start:s.end]
}

// peek skips white space and returns the next byte, or 0 at the end.
func (s *scanner) peek() byte {
	for {
		for s.start < s.end {
			switch c := s.buf[s.start]; c {
			case ' ', '\n', '\t', '\r':
				s.start++
			default:
				return c
			}
		}
		if !s.fill() {
			return 0
		}
	}
}

func (s *scanner) atEnd() bool { return s.peek() == 0 && s.start == s.end }

func (s *scanner) expect(c byte) error {
	if s.peek() != c || s.start == s.end {
		return ErrMalformed
	}
	s.start++
	return nil
}

// next reads a comma or the closing bracket, and reports whether another element follows.
func (s *scanner) next(end byte) (bool, error) {
	switch c := s.peek(); c {
	case ',':
		s.start++
		return true, nil
	case end:
		s.start++
		return false, nil
	}
	return false, ErrMalformed
}

// object reads an object. It calls member with each key; member must read the value.
func (s *scanner) object(member func(key []byte) error) error {
	if err := s.expect('{'); err != nil {
		return err
	}
	if s.depth++; s.depth > maxDepth {
		return ErrMalformed
	}
	defer func() { s.depth-- }()
	if s.peek() == '}' {
		return s.expect('}')
	}
	for {
		key, err := s.string()
		if err != nil {
			return err
		}
		if s.start == s.end || s.buf[s.start] != ':' {
			key = bytes.Clone(key) // reading the colon may overwrite the buffer that holds the key
		}
		if err := s.expect(':'); err != nil {
			return err
		}
		if err := member(key); err != nil {
			return err
		}
		if more, err := s.next('}'); err != nil || !more {
			return err
		}
	}
}

// string reads a string and resolves its escapes. It returns an error for strings longer than maxText and the buffer.
func (s *scanner) string() ([]byte, error) {
	if err := s.expect('"'); err != nil {
		return nil, err
	}
	s.long = s.long[:0]
	for len(s.long) <= maxText {
		unread := s.buf[s.start:s.end]
		quote := bytes.IndexByte(unread, '"')
		if quote >= 0 && len(s.long) == 0 && plain(unread[:quote]) {
			s.start += quote + 1
			return unread[:quote], nil
		}
		if quote >= 0 {
			s.long = append(s.long, unread[:quote+1]...)
			s.start += quote + 1
			if escapedQuote(s.long) {
				continue
			}
			return s.unescape(s.long[:len(s.long)-1])
		}
		s.long = append(s.long, unread...)
		s.start = s.end
		if !s.fill() {
			return nil, ErrMalformed
		}
	}
	return nil, ErrMalformed
}

// plain reports whether a string is printable ASCII without escapes.
func plain(text []byte) bool {
	for _, c := range text {
		if c == '\\' || c < 0x20 || c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// escapedQuote reports whether the quote at the end of text is escaped, by an odd number of backslashes before it.
func escapedQuote(text []byte) bool {
	backslashes := 0
	for i := len(text) - 2; i >= 0 && text[i] == '\\'; i-- {
		backslashes++
	}
	return backslashes%2 == 1
}

// unescape resolves the escapes of a string by encoding/json, as few strings have any.
func (s *scanner) unescape(text []byte) ([]byte, error) {
	if plain(text) {
		return text, nil
	}
	quoted := append(append([]byte{'"'}, text...), '"')
	var resolved string
	if err := json.Unmarshal(quoted, &resolved); err != nil {
		return nil, ErrMalformed
	}
	return []byte(resolved), nil
}

func (s *scanner) text() (string, error) {
	if s.peek() == 'n' {
		return "", s.literal("null")
	}
	text, err := s.string()
	return string(text), err
}

// texts reads a list of strings, and drops those over a number.
func (s *scanner) texts(most int) ([]string, error) {
	if s.peek() == 'n' {
		return nil, s.literal("null")
	}
	var texts []string
	err := s.list(func() error {
		text, err := s.string()
		if err == nil && len(texts) < most {
			texts = append(texts, string(text))
		}
		return err
	})
	return texts, err
}

// timestamp reads a number of seconds and returns milliseconds.
func (s *scanner) timestamp() (int64, error) {
	number, err := s.number()
	if err != nil {
		return 0, err
	}
	return parseSeconds(number)
}

// float reads a sample value.
func (s *scanner) float() (float64, error) {
	text, err := s.string()
	if err != nil {
		return 0, err
	}
	return parseFloat(text)
}

// pair reads 1435781430.781,"0.5" without brackets, and returns milliseconds and the text.
func (s *scanner) pair() (at int64, text []byte, err error) {
	if at, err = s.timestamp(); err != nil {
		return 0, nil, err
	}
	if err = s.expect(','); err != nil {
		return 0, nil, err
	}
	text, err = s.string()
	return at, text, err
}

// number reads a JSON number and returns its text.
func (s *scanner) number() ([]byte, error) {
	s.peek()
	if s.end-s.start < lookahead {
		s.fill()
	}
	for i := s.start; ; i++ {
		if i == s.end {
			// The number fills the unread buffer: the body ends, or the number is longer than the buffer.
			if s.end-s.start >= len(s.buf) || !s.fill() {
				return nil, ErrMalformed
			}
			i = s.start
		}
		if !numeric(s.buf[i]) {
			text := s.buf[s.start:i]
			s.start = i
			// A bucket of a native histogram begins with one digit.
			isOneDigit := len(text) == 1 && isDigit(text[0])
			if !isOneDigit && !json.Valid(text) {
				return nil, ErrMalformed
			}
			return text, nil
		}
	}
}

func numeric(c byte) bool {
	return c >= '0' && c <= '9' || c == '.' || c == '-' || c == '+' || c == 'e' || c == 'E'
}

func (s *scanner) literal(word string) error {
	for i := range len(word) {
		if s.start == s.end && !s.fill() || s.buf[s.start] != word[i] {
			return ErrMalformed
		}
		s.start++
	}
	return nil
}

// skip reads a value of any type and discards it.
func (s *scanner) skip() error {
	switch c := s.peek(); c {
	case '{':
		return s.object(func([]byte) error { return s.skip() })
	case '[':
		return s.skipList()
	case '"':
		_, err := s.string()
		return err
	case 't':
		return s.literal("true")
	case 'f':
		return s.literal("false")
	case 'n':
		return s.literal("null")
	}
	_, err := s.number()
	return err
}

func (s *scanner) skipList() error {
	if s.depth++; s.depth > maxDepth {
		return ErrMalformed
	}
	defer func() { s.depth-- }()
	return s.list(s.skip)
}

// list reads a list. It calls element for each element; element must read it.
func (s *scanner) list(element func() error) error {
	if err := s.expect('['); err != nil {
		return err
	}
	if s.peek() == ']' {
		return s.expect(']')
	}
	for {
		if err := element(); err != nil {
			return err
		}
		if more, err := s.next(']'); err != nil || !more {
			return err
		}
	}
}
