package promjson

import "bytes"

// plainSample decodes a sample in the format of all query engines: [1435781430.781,"0.5"], a time of whole seconds or
// milliseconds, without white space and escapes. It takes one pass over the buffer, whereas the scanner takes several.
//
// It returns the time in milliseconds, the value, and the length of the sample in bytes; the length is 0 for other formats,
// which are left to the scanner.
func plainSample(text []byte) (at int64, value float64, length int) {
	if len(text) < lookahead || text[0] != '[' || text[1] == '0' {
		return 0, 0, 0
	}
	seconds, whole := eightDigits(text[1:])
	for ; whole <= timeDigits && isDigit(text[1+whole]); whole++ {
		seconds = seconds*10 + int64(text[1+whole]-'0')
	}
	at = seconds * 1000
	if whole == 0 || whole > timeDigits || at > maxMillis-1000 {
		return 0, 0, 0
	}
	i := 1 + whole
	if text[i] == '.' {
		fraction, places := digits(text[i+1:])
		if places == 0 || places > 3 {
			return 0, 0, 0
		}
		at += fraction * [...]int64{0, 100, 10, 1}[places]
		i += 1 + places
	}
	if text[i] != ',' || text[i+1] != '"' {
		return 0, 0, 0
	}
	number := text[i+2:]
	value, end := decimal(number)
	if end > 0 && end+1 < len(number) && number[end] == '"' && number[end+1] == ']' {
		return at, value, i + 2 + end + 2
	}
	end = bytes.IndexByte(number, '"')
	if end < 0 || end+1 >= len(number) || number[end+1] != ']' {
		return 0, 0, 0
	}
	value, ok := parseFloat(number[:end])
	if !ok {
		return 0, 0, 0
	}
	return at, value, i + 2 + end + 2
}

// timeDigits bounds the digits of a time before its point. With three more after it, the time is exact as a float64.
const timeDigits = 10

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
