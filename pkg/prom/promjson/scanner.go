package promjson

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	bufferSize = 64 << 10
	// lookahead is the length up to which numbers are decoded in place, in bytes.
	lookahead = 64
	// maxDepth bounds nesting, as in encoding/json.
	maxDepth = 10_000
	// maxText bounds the length of a string, in bytes. The strings of a response are names, labels and messages.
	maxText = 4 << 20
	// maxTexts bounds the number of warnings or infos; the rest are dropped.
	maxTexts = 1000
)

// scanner reads JSON tokens from a stream. The slices that it returns are valid until its next call. After an error the stream has ended:
// all methods return zero values, and no list or object has more elements.
type scanner struct {
	*bufio.Reader
	long  []byte // a string that isn't plain, or that crosses the end of the buffer
	depth int    // of the current object or list
	err   error  // of the reader, or ErrMalformed
}

// fail ends the stream. The first error counts.
func (s *scanner) fail(err error) {
	s.err = cmp.Or(s.err, err)
	s.Reset(strings.NewReader(""))
}

// buffered is the unread part of the buffer: at least so many bytes, or the rest of the body if that is shorter.
func (s *scanner) buffered(least int) []byte {
	if _, err := s.Peek(least); err != nil && !errors.Is(err, io.EOF) {
		s.fail(err)
	}
	text, _ := s.Peek(s.Buffered())
	return text
}

// take reads what is buffered.
func (s *scanner) take(bytes int) { _, _ = s.Discard(bytes) }

// peek skips white space and returns the next byte, or 0 at the end.
func (s *scanner) peek() byte {
	for {
		text := s.buffered(1)
		if len(text) == 0 {
			return 0
		}
		switch text[0] {
		case ' ', '\n', '\t', '\r':
			s.take(1)
		default:
			return text[0]
		}
	}
}

func (s *scanner) atEnd() bool { return s.peek() == 0 && s.Buffered() == 0 }

func (s *scanner) expect(c byte) {
	if s.peek() == c {
		s.take(1)
	} else {
		s.fail(ErrMalformed)
	}
}

// open reads the opening bracket of a list or object, and reports whether an element follows.
func (s *scanner) open(begin, end byte) bool {
	s.expect(begin)
	if s.depth++; s.depth > maxDepth {
		s.fail(ErrMalformed)
	}
	if s.peek() == end {
		s.take(1)
		s.depth--
		return false
	}
	return s.err == nil
}

// next reads a comma or the closing bracket, and reports whether another element follows.
func (s *scanner) next(end byte) bool {
	if s.peek() == ',' {
		s.take(1)
		return true
	}
	s.expect(end)
	s.depth--
	return false
}

// members are the keys of an object. Who ranges over them reads the value of each.
func (s *scanner) members(yield func(key []byte) bool) {
	for more := s.open('{', '}'); more; more = s.next('}') {
		key := s.string()
		if next, _ := s.Peek(min(1, s.Buffered())); string(next) != ":" {
			key = bytes.Clone(key) // reading the colon may overwrite the buffer that holds the key
		}
		s.expect(':')
		if s.err != nil || !yield(key) {
			return
		}
	}
}

// object are the members of an object with known names, which may not be duplicated. It skips all others.
func (s *scanner) object(known ...string) iter.Seq[string] {
	return func(yield func(name string) bool) {
		seen := 0
		for key := range s.members {
			i := slices.Index(known, string(key))
			switch {
			case i < 0:
				s.skip()
			case seen>>i&1 == 1:
				s.fail(ErrMalformed)
			case !yield(known[i]):
				return
			default:
				seen |= 1 << i
			}
		}
	}
}

// string reads a string and resolves its escapes.
func (s *scanner) string() []byte {
	s.expect('"')
	s.long = s.long[:0]
	for s.err == nil {
		text, err := s.ReadSlice('"')
		if err == nil && len(s.long) == 0 && plain(text[:len(text)-1]) {
			return text[:len(text)-1]
		}
		s.long = append(s.long, text...)
		switch {
		case len(s.long) > maxText+1:
			s.fail(ErrTooLong)
		case err == nil && !escapedQuote(s.long):
			return s.unescape(s.long[:len(s.long)-1])
		case errors.Is(err, io.EOF):
			s.fail(ErrMalformed)
		case err != nil && !errors.Is(err, bufio.ErrBufferFull):
			s.fail(err)
		}
	}
	return nil
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
func (s *scanner) unescape(text []byte) []byte {
	if plain(text) {
		return text
	}
	quoted := append(append([]byte{'"'}, text...), '"')
	var resolved string
	if json.Unmarshal(quoted, &resolved) != nil {
		s.fail(ErrMalformed)
	}
	return []byte(resolved)
}

// null reads null, if that is next.
func (s *scanner) null() bool {
	is := s.peek() == 'n'
	if is {
		s.literal("null")
	}
	return is
}

// text reads a string or null.
func (s *scanner) text() string {
	if s.null() {
		return ""
	}
	return string(s.string())
}

// texts reads a list of strings or null, and drops those over maxTexts.
func (s *scanner) texts() (texts []string) {
	if s.null() {
		return nil
	}
	for more := s.open('[', ']'); more; more = s.next(']') {
		if text := s.string(); len(texts) < maxTexts {
			texts = append(texts, string(text))
		}
	}
	return texts
}

// timestamp reads a number of seconds and returns milliseconds.
func (s *scanner) timestamp() int64 {
	at, ok := parseSeconds(s.number())
	if !ok {
		s.fail(ErrMalformed)
	}
	return at
}

func (s *scanner) float() float64 {
	value, ok := parseFloat(s.string())
	if !ok {
		s.fail(ErrMalformed)
	}
	return value
}

// number reads a JSON number, which is not longer than the buffer, and returns its text.
func (s *scanner) number() []byte {
	s.peek()
	for least := lookahead; s.err == nil; least = bufferSize {
		text := s.buffered(least)
		length := slices.IndexFunc(text, func(c byte) bool { return !numeric(c) })
		if length < 0 && least < bufferSize {
			continue
		}
		// A bucket of a native histogram begins with one digit.
		if length < 1 || (length > 1 || !isDigit(text[0])) && !json.Valid(text[:length]) {
			break
		}
		s.take(length)
		return text[:length]
	}
	s.fail(ErrMalformed)
	return nil
}

func numeric(c byte) bool {
	return c >= '0' && c <= '9' || c == '.' || c == '-' || c == '+' || c == 'e' || c == 'E'
}

func (s *scanner) literal(word string) {
	if text, _ := s.Peek(len(word)); string(text) != word {
		s.fail(ErrMalformed)
	}
	s.take(len(word))
}

// skip reads a value of any type and discards it.
func (s *scanner) skip() {
	switch s.peek() {
	case '{':
		for range s.members {
			s.skip()
		}
	case '[':
		for more := s.open('[', ']'); more; more = s.next(']') {
			s.skip()
		}
	case '"':
		s.string()
	case 't':
		s.literal("true")
	case 'f':
		s.literal("false")
	case 'n':
		s.literal("null")
	default:
		s.number()
	}
}
