package promjson

import (
	"bytes"
	"math"
	"strconv"
	"time"
	"unsafe"
)

// exactDigits is the number of decimal digits that always fit the 53 bits of a float64.
const exactDigits = 15

// powersOfTen are exact as float64; dividing an exact integer by one rounds once, as strconv does.
var powersOfTen = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

// parseFloat parses a sample value: a decimal, "NaN", "+Inf" or "-Inf".
func parseFloat(text []byte) (value float64, ok bool) {
	if value, length := decimal(text); length > 0 && length == len(text) {
		return value, true
	}
	return slowFloat(text)
}

// decimal parses a plain decimal of up to 15 digits at the start of a text, which nearly all sample values are, with the result of
// strconv. It returns the length of the decimal in bytes, or 0 for any other number.
func decimal(text []byte) (value float64, length int) {
	negative := len(text) > 0 && text[0] == '-'
	if negative {
		text, length = text[1:], 1
	}
	mantissa, whole := digits(text)
	length += whole
	places := 0
	if whole < len(text) && text[whole] == '.' {
		var fraction int64
		if fraction, places = digits(text[whole+1:]); places == 0 || whole+places > exactDigits {
			return 0, 0
		}
		mantissa = mantissa*int64(powersOfTen[places]) + fraction
		length += 1 + places
	}
	if whole == 0 || whole+places > exactDigits {
		return 0, 0
	}
	value = float64(mantissa) / powersOfTen[places]
	if negative {
		value = -value
	}
	return value, length
}

// digits parses the digits at the start of a text, and returns how many there are. The number of more than 18 may overflow.
func digits(text []byte) (n int64, length int) {
	for ; length < len(text) && isDigit(text[length]); length++ {
		n = n*10 + int64(text[length]-'0')
	}
	return n, length
}

func slowFloat(text []byte) (value float64, ok bool) {
	// The string is not used after the call.
	value, err := strconv.ParseFloat(unsafe.String(unsafe.SliceData(text), len(text)), 64)
	return value, err == nil || math.IsInf(value, 0)
}

// maxMillis is the last time of a data frame, which stores nanoseconds since 1970.
const maxMillis = math.MaxInt64 / int64(time.Millisecond)

// parseSeconds parses a number of seconds since 1970 and returns milliseconds, rounded half away from zero.
func parseSeconds(text []byte) (milliseconds int64, ok bool) {
	seconds, ok := parseFloat(text)
	rounded := math.Round(seconds * 1000)
	return int64(rounded), ok && math.Abs(rounded) <= float64(maxMillis)
}

// plainSample decodes a sample in the format of all query engines: [1435781430.781,"0.5"], a time of whole seconds or
// milliseconds, without white space and escapes. It takes one pass over the buffer, whereas the scanner takes several.
//
// It returns the time in milliseconds, the value, and the length of the sample in bytes; the length is 0 for other formats,
// which are left to the scanner.
func plainSample(text []byte) (at int64, value float64, length int) {
	if len(text) < lookahead || text[0] != '[' || text[1] == '0' {
		return 0, 0, 0
	}
	seconds, whole := digits(text[1:])
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
