package packed

import (
	"bytes"
	"encoding/binary"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
)

// timesEncoder packs the times of one series after the other. Most have the times of the one before, and most of those share
// their memory, which is noticed without reading them.
type timesEncoder struct {
	// first is where the first of the last times is in memory, and rows is how many they are.
	first *time.Time
	rows  int
	// runs are the last times, packed.
	runs []byte
	// next is scratch memory.
	next []byte
}

func (e *timesEncoder) append(packed []byte, times *data.Field) []byte {
	if times.Len() > 0 && times.Len() == e.rows && timeAt(times, 0) == e.first {
		return append(packed, 0)
	}
	count := e.pack(times)
	if bytes.Equal(e.next, e.runs) {
		return append(packed, 0)
	}
	e.runs, e.next = e.next, e.runs
	e.first, e.rows = nil, times.Len()
	if e.rows > 0 {
		e.first = timeAt(times, 0)
	}
	packed = binary.AppendUvarint(packed, count)
	return append(packed, e.runs...)
}

// pack packs times into next, and returns the number of their runs. A series without times has one that is empty.
func (e *timesEncoder) pack(times *data.Field) (count uint64) {
	e.next = e.next[:0]
	var last, distance, length int64
	for i := range times.Len() {
		at := timeAt(times, i).UnixMilli()
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

// timeAt returns a pointer, because Field.At allocates an interface for each time.
func timeAt(times *data.Field, i int) *time.Time {
	return times.PointerAt(i).(*time.Time)
}
