package promjson

import (
	"slices"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/series"
)

// maxLabels bounds the labels of a series, far above the limits of all databases.
const maxLabels = 10_000

// series decodes {"metric": {…}, "values": [[t, v], …]} or {"metric": {…}, "value": [t, v]} and appends the frame. Native
// histograms are in "histograms" or "histogram", with or without values, and have a frame of their own. The result has no
// frames once the response is over a limit.
func (d *decoder) series(result *Result) (structure, error) {
	s := &d.scanner
	labels := data.Labels{}
	named := false
	found := noStructure
	histogram := noStructure
	d.times, d.values = d.times[:0], d.values[:0]
	err := s.object(func(key []byte) error {
		switch string(key) {
		case "metric":
			if named {
				return ErrMalformed
			}
			named = true
			if d.tally.over {
				return s.skip()
			}
			return d.labels(labels)
		case "values":
			return d.samplesOnce(&found, lists)
		case "value":
			return d.samplesOnce(&found, points)
		case "histograms":
			return d.histogramsOnce(&histogram, lists)
		case "histogram":
			return d.histogramsOnce(&histogram, points)
		}
		return s.skip()
	})
	if err != nil {
		return noStructure, err
	}
	if d.visit != nil {
		return d.visitSeries(labels, max(found, histogram))
	}
	if histogram != noStructure {
		return d.histogramSeries(result, labels, found, histogram)
	}
	if found == noStructure {
		return noStructure, ErrMalformed
	}
	d.tally.add(len(d.times))
	if !d.tally.withinLimits() {
		d.drop(result)
		return found, nil
	}
	if d.matrix != nil && found == lists && d.matrix.Add(labels, d.times, d.values) {
		return found, nil
	}
	d.asFrames(result)
	result.Frames = append(result.Frames, series.NewFrame(d.timeField(), d.values, labels))
	return found, nil
}

// drop releases the series of a response over a limit.
func (d *decoder) drop(result *Result) { result.Frames, d.matrix = nil, nil }

// asFrames makes frames of the matrix, once a series has no place in it.
func (d *decoder) asFrames(result *Result) {
	if d.matrix != nil {
		result.Frames, d.matrix = d.matrix.Matrix().Frames(), nil
	}
}

// visitSeries counts a series and visits its samples, if it has some.
func (d *decoder) visitSeries(labels data.Labels, found structure) (structure, error) {
	if found == noStructure {
		return noStructure, ErrMalformed
	}
	n := len(d.times)
	d.tally.add(n)
	if n > 0 && d.tally.withinLimits() {
		d.visitErr = d.visit(labels, d.times, d.values)
	}
	return found, d.visitErr
}

// timeField is a field of the decoded times. Most series of a response have the same times, which they share in memory.
func (d *decoder) timeField() *data.Field {
	if d.timesField == nil || !slices.Equal(d.times, d.sharedTimes) {
		times := make([]time.Time, len(d.times))
		for i, at := range d.times {
			times[i] = time.UnixMilli(at).UTC()
		}
		d.timesField = data.NewField(series.TimeName, nil, times)
		d.times, d.sharedTimes = d.sharedTimes, d.times
	}
	return d.timesField
}

func (d *decoder) labels(labels data.Labels) error {
	s := &d.scanner
	return s.object(func(key []byte) error {
		name := d.intern(key)
		value, err := s.string()
		if err != nil {
			return err
		}
		before := len(labels)
		if before == maxLabels {
			return ErrMalformed
		}
		labels[name] = d.intern(value)
		if len(labels) == before {
			return ErrMalformed // a duplicate label
		}
		return nil
	})
}

// samplesOnce decodes the samples of a series. It returns an error if the series has samples already.
func (d *decoder) samplesOnce(found *structure, as structure) error {
	if *found != noStructure {
		return ErrMalformed
	}
	*found = as
	if as == points {
		return d.sample()
	}
	// A loop instead of scanner.list, which would cost an indirect call for each sample.
	s := &d.scanner
	if err := s.expect('['); err != nil {
		return err
	}
	if s.peek() == ']' {
		return s.expect(']')
	}
	for {
		if err := d.sample(); err != nil {
			return err
		}
		if more, err := s.next(']'); err != nil || !more {
			return err
		}
	}
}

// sample decodes [1435781430.781,"0.5"].
func (d *decoder) sample() error {
	s := &d.scanner
	if at, value, length := plainSample(s.buffered()); length > 0 {
		s.start += length
		d.addSample(at, value)
		return nil
	}
	if err := s.expect('['); err != nil {
		return err
	}
	at, text, err := s.pair()
	if err != nil {
		return err
	}
	value, err := parseFloat(text)
	if err != nil {
		return err
	}
	if err := s.expect(']'); err != nil {
		return err
	}
	d.addSample(at, value)
	return nil
}

func (d *decoder) addSample(at int64, value float64) {
	if len(d.times) >= d.tally.room {
		d.tally.skipped++
		return
	}
	d.times = append(d.times, at)
	d.values = append(d.values, value)
}
