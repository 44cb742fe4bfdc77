package packed

import (
	"bytes"
	"encoding/binary"
)

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
