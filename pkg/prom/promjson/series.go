package promjson

import (
	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/series"
)

// maxLabels bounds the labels of a series, far above the limits of all databases.
const maxLabels = 10_000

// oneSeries decodes {"metric": {…}, "values": [[t, v], …]} or {"metric": {…}, "value": [t, v]}. Native histograms are in "histograms"
// or "histogram", with or without values: a series has both if its metric became a native histogram within the range. No series is
// held in memory once the response is over a limit.
func (d *decoder) oneSeries() (structure, error) {
	s := &d.scanner
	labels := data.Labels{}
	named := false
	found, histogram := noStructure, noStructure
	d.times, d.values, d.histograms = d.times[:0], d.values[:0], nil
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
	switch {
	case err != nil:
		return noStructure, err
	case found == noStructure:
		found = histogram
	case histogram != noStructure && histogram != found:
		return noStructure, ErrMalformed
	}
	if found == noStructure {
		return noStructure, ErrMalformed
	}
	d.addSeries(labels)
	return found, nil
}

func (d *decoder) addSeries(labels data.Labels) {
	cells, histograms := 0, 0
	if d.histograms != nil {
		cells, histograms = len(d.histograms.Layout), len(d.histograms.Times)
	}
	d.tally.add(len(d.times), cells, histograms)
	switch {
	case d.tally.err() != nil:
		d.series = series.Builder{}
	case histograms > 0:
		d.series.AddWithHistograms(labels, d.times, d.values, d.histograms)
	case len(d.times) > 0:
		d.series.Add(labels, d.times, d.values)
	}
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
