package packed

import (
	"bytes"
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

// decimals are values without their decimal points, which to gets, and how many decimal places they have at most. It is not ok if one is no
// decimal of 15 digits or less, such as NaN.
func decimals(values []float64, to []int64) (integers []int64, places int, ok bool) {
	largest := 0.0
	for _, value := range values {
		integer, isDecimal := decimal(value, places)
		for ; !isDecimal; integer, isDecimal = decimal(value, places) {
			if places++; places == len(powersOfTen) {
				return to, 0, false
			}
			for i := range to {
				to[i] *= 10 // one that overflows is above maxInteger
			}
		}
		to = append(to, integer)
		if size := math.Abs(value); size > largest { // max is slow because of NaN, which is no decimal
			largest = size
		}
	}
	return to, places, largest*powersOfTen[places] < maxInteger
}

// decimal is a value without its decimal point, if it has so many decimal places at most.
func decimal(value float64, places int) (integer int64, ok bool) {
	integer = int64(math.RoundToEven(value * powersOfTen[places]))
	return integer, math.Float64bits(float64(integer)/powersOfTen[places]) == math.Float64bits(value) // by bits, -0 is not 0
}

func appendDecimals(packed []byte, integers []int64, places int) []byte {
	packed = append(packed, byte(places))
	last := int64(0)
	for _, next := range integers {
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

// timesEncoder packs the times of one series after the other. Most have the times of the one before, and most of those share
// their memory, which is noticed without reading them.
type timesEncoder struct {
	// last are the last times, and runs are the same, packed.
	last []int64
	runs []byte
	// next is scratch memory.
	next []byte
}

// append keeps the slice of times.
func (e *timesEncoder) append(packed []byte, times []int64) []byte {
	if len(times) > 0 && len(times) == len(e.last) && &times[0] == &e.last[0] {
		return append(packed, 0)
	}
	e.last = times
	count := e.pack(times)
	if bytes.Equal(e.next, e.runs) {
		return append(packed, 0)
	}
	e.runs, e.next = e.next, e.runs
	packed = binary.AppendUvarint(packed, count)
	return append(packed, e.runs...)
}

// pack packs times into next, and returns the number of their runs. A series without times has one that is empty.
func (e *timesEncoder) pack(times []int64) (count uint64) {
	e.next = e.next[:0]
	var last, distance, length int64
	for _, at := range times {
		if length > 0 && at-last != distance {
			e.appendRun(distance, length)
			count++
			length = 0
		}
		last, distance, length = at, at-last, length+1
	}
	e.appendRun(distance, length)
	return count + 1
}

func (e *timesEncoder) appendRun(distance, length int64) {
	e.next = binary.AppendVarint(e.next, distance)
	e.next = binary.AppendUvarint(e.next, uint64(length))
}
