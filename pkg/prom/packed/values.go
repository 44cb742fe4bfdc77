package packed

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// xorForm stands where the number of decimal places is, for values that are no decimals.
const xorForm = 255

// maxInteger bounds decimals without their decimal points. A browser computes with them, and with their differences, exactly.
const maxInteger = 1e15

// powersOfTen are exact as float64: dividing an integer by one of them rounds once, as parsing a decimal does.
var powersOfTen = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

// decimalPlaces is how many decimal places the values have at most. It is not ok if one is no decimal of 15 digits or less,
// such as NaN.
func decimalPlaces(values []float64) (places int, ok bool) {
	largest := 0.0
	for _, value := range values {
		for !isDecimal(value, places) {
			if places++; places == len(powersOfTen) {
				return 0, false
			}
		}
		largest = max(largest, math.Abs(value))
	}
	return places, largest*powersOfTen[places] < maxInteger
}

func isDecimal(value float64, places int) bool {
	isNegativeZero := value == 0 && math.Signbit(value)
	return float64(integer(value, places))/powersOfTen[places] == value && !isNegativeZero
}

// integer is a decimal without its decimal point.
func integer(value float64, places int) int64 {
	return int64(math.RoundToEven(value * powersOfTen[places]))
}

func appendDecimals(packed []byte, values []float64, places int) []byte {
	packed = append(packed, byte(places))
	last := int64(0)
	for _, value := range values {
		next := integer(value, places)
		packed = binary.AppendVarint(packed, next-last)
		last = next
	}
	return packed
}

func appendXOR(packed []byte, values []float64) []byte {
	packed = append(packed, xorForm)
	last := uint64(0)
	for _, value := range values {
		next := math.Float64bits(value)
		packed = appendTrimmed(packed, next^last)
		last = next
	}
	return packed
}

// appendTrimmed appends the bytes of a word without the zeros at both ends.
func appendTrimmed(packed []byte, word uint64) []byte {
	if word == 0 {
		return append(packed, 0)
	}
	left := bits.TrailingZeros64(word) / 8
	length := 8 - left - bits.LeadingZeros64(word)/8
	packed = append(packed, byte(left<<4|length))
	for word >>= 8 * left; word != 0; word >>= 8 {
		packed = append(packed, byte(word))
	}
	return packed
}
