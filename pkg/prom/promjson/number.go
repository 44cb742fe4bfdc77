package promjson

import (
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
	digits, point := 0, -1
	var mantissa uint64
	negative := len(text) > 0 && text[0] == '-'
	if negative {
		length = 1
	}
	for ; length < len(text); length++ {
		c := text[length]
		if isDigit(c) {
			mantissa = mantissa*10 + uint64(c-'0')
			digits++
		} else if c == '.' && point < 0 {
			point = digits
		} else {
			break
		}
	}
	if digits == 0 || digits > exactDigits || point == 0 || point == digits {
		return 0, 0
	}
	value = float64(mantissa)
	if point > 0 {
		value /= powersOfTen[digits-point]
	}
	if negative {
		value = -value
	}
	return value, length
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
