package series

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/grafana/grafana-plugin-sdk-go/data"
)

// New is a matrix without series, which are added as they arrive.
func New() *Matrix { return &Matrix{Sorted: true} }

// Add adds a series, and copies its times and values. Its native histograms, nil if it has none, are then the matrix's.
func (m *Matrix) Add(labels data.Labels, times []int64, values []float64, histograms *Histograms) {
	s := Series{Labels: labels, Key: Key(labels), Times: m.share(times), Values: slices.Clone(values), Histograms: histograms}
	if n := len(m.Series); n > 0 && m.Series[n-1].Key >= s.Key {
		m.Sorted = false
	}
	m.Series = append(m.Series, s)
}

// share returns the times of the series before, or of the first one, if they are the same, and else a copy.
func (m *Matrix) share(times []int64) []int64 {
	if n := len(m.Series); n > 0 {
		for _, known := range [2][]int64{m.Series[n-1].Times, m.Series[0].Times} {
			if slices.Equal(known, times) {
				return known
			}
		}
	}
	return slices.Clone(times)
}

// separator ends names and values in the key of a series. It is less than any other byte, so keys compare as lists of labels.
const separator = "\x00"

// SortedNames appends the names of labels, sorted.
func SortedNames(labels data.Labels, to []string) []string {
	to = slices.AppendSeq(to, maps.Keys(labels))
	slices.Sort(to)
	return to
}

// Key orders and identifies a series by its labels, as Prometheus orders them, unless a label contains the separator.
func Key(labels data.Labels) string {
	var some [16]string
	var key strings.Builder
	size := 0
	for name, value := range labels {
		size += len(name) + len(value) + 2*len(separator)
	}
	key.Grow(size)
	for _, name := range SortedNames(labels, some[:0]) {
		for _, text := range [2]string{name, labels[name]} {
			if strings.Contains(text, separator) {
				text = strconv.Quote(text)
			}
			key.WriteString(text)
			key.WriteString(separator)
		}
	}
	return key.String()
}
