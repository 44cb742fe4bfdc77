package report

import (
	"fmt"
	"math"
	"time"
)

// Unit is what a figure counts.
type Unit string

// The units of figures.
const (
	Milliseconds   Unit = "ms"
	Bytes          Unit = "B"
	BytesPerSecond Unit = "B/s"
	Count          Unit = ""
	Share          Unit = "1" // of a whole: 0.5 is half
)

// Figure is a number with its unit.
type Figure struct {
	Value float64 `json:"value"`
	Unit  Unit    `json:"unit"`
}

// Took is a duration as a figure.
func Took(d time.Duration) Figure {
	return Figure{float64(d) / float64(time.Millisecond), Milliseconds}
}

// Size is a number of bytes as a figure.
func Size[N int | int64 | uint64](n N) Figure { return Figure{float64(n), Bytes} }

// Number is a plain count as a figure.
func Number[N int | int64 | uint64](n N) Figure { return Figure{float64(n), Count} }

// Rate is bytes per second as a figure.
func Rate(n int, d time.Duration) Figure {
	return Figure{float64(n) / d.Seconds(), BytesPerSecond}
}

// String writes a figure for people.
func (f Figure) String() string {
	switch f.Unit {
	case Milliseconds:
		if f.Value < 0.1 {
			return fmt.Sprintf("%.1f µs", f.Value*1000)
		}
		return fmt.Sprintf("%.*f ms", decimals(f.Value), f.Value)
	case Bytes:
		return size(f.Value)
	case BytesPerSecond:
		return size(f.Value) + "/s"
	case Share:
		return fmt.Sprintf("%.*f %%", decimals(100*f.Value), 100*f.Value)
	}
	return fmt.Sprintf("%.0f", f.Value)
}

func size(n float64) string {
	switch {
	case n >= 1<<20:
		return fmt.Sprintf("%.*f MB", decimals(n/(1<<20)), n/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.*f kB", decimals(n/(1<<10)), n/(1<<10))
	}
	return fmt.Sprintf("%.0f B", n)
}

// decimals leaves about three digits.
func decimals(n float64) int {
	switch n = math.Abs(n); {
	case n >= 100:
		return 0
	case n >= 10:
		return 1
	}
	return 2
}

// ratio writes how many times as much something is, 3.20 × or 0.87 ×, or, below a half, which part of it, 1/40.
func ratio(r float64) string {
	switch {
	case math.IsNaN(r), math.IsInf(r, 0):
		return "–"
	case r == 0:
		return "0"
	case r < 0.5:
		return fmt.Sprintf("1/%.*f", decimals(1/r), 1/r)
	}
	return fmt.Sprintf("%.*f ×", decimals(r), r)
}
