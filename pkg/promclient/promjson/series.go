package promjson

import (
	"slices"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
)

const (
	timeName  = "Time"
	valueName = "Value"
	// maxLabels is how many labels a series has at most, many times what any store takes.
	maxLabels = 10_000
)

// series reads one {"metric": {…}, "values": [[t, v], …]} or {"metric": {…}, "value": [t, v]} and appends its frame. Native
// histograms come in place of values or beside them, as "histograms" or "histogram", and have a frame of their own. The
// result has no frames once the answer is over its limits.
func (d *decoder) series(result *Result) (shape, error) {
	s := &d.scanner
	labels := data.Labels{}
	named := false
	found := noShape
	histogram := noShape
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
		return noShape, err
	}
	if histogram != noShape {
		return d.histogramSeries(result, labels, found, histogram)
	}
	if found == noShape {
		return noShape, ErrMalformed
	}
	d.tally.add(len(d.times))
	if !d.tally.keeps() {
		result.Frames = nil
		return found, nil
	}
	result.Frames = append(result.Frames, newFrame(d.timeField(), d.values, labels))
	return found, nil
}

// timeField is a field of the times that were read. Most series of an answer have the same, which are then kept once.
func (d *decoder) timeField() *data.Field {
	if d.grid == nil || !slices.Equal(d.times, d.before) {
		d.grid = data.NewField(timeName, nil, d.times)
		d.times, d.before = d.before, d.times
	}
	return d.grid
}

// newFrame makes a series' frame, with a copy of the field of its times. All that is not samples is one allocation, which
// counts where series are many and short.
func newFrame(times *data.Field, values []float64, labels data.Labels) *data.Frame {
	made := &struct {
		frame  data.Frame
		times  data.Field
		fields [2]*data.Field
	}{times: *times}
	made.fields = [2]*data.Field{&made.times, data.NewField(valueName, labels, values)}
	made.frame.Fields = made.fields[:]
	return &made.frame
}

func (d *decoder) labels(labels data.Labels) error {
	s := &d.scanner
	return s.object(func(key []byte) error {
		name := d.word(key)
		value, err := s.string()
		if err != nil {
			return err
		}
		before := len(labels)
		if before == maxLabels {
			return ErrMalformed
		}
		labels[name] = d.word(value)
		if len(labels) == before {
			return ErrMalformed // the label was there already
		}
		return nil
	})
}

// samplesOnce reads the samples of a series, which must not have had any before.
func (d *decoder) samplesOnce(found *shape, as shape) error {
	if *found != noShape {
		return ErrMalformed
	}
	*found = as
	if as == points {
		return d.sample()
	}
	// A loop of its own rather than scanner.list, which would cost a call by reference for each sample.
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

// sample reads [1435781430.781,"0.5"].
func (d *decoder) sample() error {
	s := &d.scanner
	if at, value, length := plainSample(s.buffered()); length > 0 {
		s.start += length
		d.keep(at, value)
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
	d.keep(at, value)
	return nil
}

func (d *decoder) keep(at int64, value float64) {
	if len(d.times) >= d.tally.room {
		d.tally.skipped++
		return
	}
	d.times = append(d.times, time.UnixMilli(at).UTC())
	d.values = append(d.values, value)
}
