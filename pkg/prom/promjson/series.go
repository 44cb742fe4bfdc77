package promjson

import (
	"maps"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/prometheus/prometheus/promql/parser"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/series"
)

// maxLabels bounds the labels of a series, far above the limits of all databases.
const maxLabels = 10_000

// oneSeries decodes {"metric": {…}, "values": [[t, v], …]} or {"metric": {…}, "value": [t, v]}. Native histograms are in "histograms"
// or "histogram", with or without values: a series has both if its metric became a native histogram within the range.
func (d *decoder) oneSeries() parser.ValueType {
	s := &d.scanner
	var labels data.Labels
	var inLists, inPoints bool
	d.begin()
	d.times, d.values, d.histograms = d.times[:0], d.values[:0], nil
	for name := range s.object("metric", "values", "value", "histograms", "histogram") {
		switch name {
		case "metric":
			labels = d.labels()
		case "values":
			inLists = true
			d.samples()
		case "value":
			inPoints = true
			d.sample()
		case "histograms":
			inLists = true
			d.histograms = &series.Histograms{}
			for more := s.open('[', ']'); more; more = s.next(']') {
				d.histogram()
			}
		case "histogram":
			inPoints = true
			d.histograms = &series.Histograms{}
			d.histogram()
		}
	}
	if inLists == inPoints {
		s.fail(ErrMalformed)
		return parser.ValueTypeNone
	}
	if labels == nil {
		labels = data.Labels{}
	}
	d.addSeries(labels)
	if inLists {
		return parser.ValueTypeMatrix
	}
	return parser.ValueTypeVector
}

func (d *decoder) addSeries(labels data.Labels) {
	if d.histograms != nil && len(d.histograms.Times) == 0 {
		d.histograms = nil
	}
	d.total.Add(int64(len(d.times) + d.histograms.Samples()))
	d.check(0)
	if len(d.times) > 0 || d.histograms != nil {
		d.series.Add(labels, d.times, d.values, d.histograms)
	}
}

// labels are those with a value: an empty one is none (https://prometheus.io/docs/concepts/data_model/), which VictoriaMetrics may answer
// after label_replace.
func (d *decoder) labels() data.Labels {
	labels, hasEmpty := data.Labels{}, false
	for key := range d.scanner.members {
		name := d.intern(key)
		before := len(labels)
		value := d.intern(d.scanner.string())
		labels[name], hasEmpty = value, hasEmpty || value == ""
		switch {
		case len(labels) == before: // a duplicate
			d.scanner.fail(ErrMalformed)
		case before == maxLabels:
			d.scanner.fail(ErrTooLong)
		}
	}
	for _, name := range d.dropped {
		delete(labels, name)
	}
	if hasEmpty {
		maps.DeleteFunc(labels, func(_, value string) bool { return value == "" })
	}
	return labels
}

func (d *decoder) samples() {
	s := &d.scanner
	for more := s.open('[', ']'); more; more = s.next(']') {
		d.plainSamples()
		d.sample()
	}
}

// plainSamples decodes the plain samples at the start of the buffer that another sample follows, without a look at the scanner for each.
func (d *decoder) plainSamples() {
	text := d.scanner.buffered(lookahead)
	all := len(text)
	for len(d.times) < d.room {
		at, value, length := plainSample(text)
		if length == 0 || length == len(text) || text[length] != ',' {
			break
		}
		d.times, d.values = append(d.times, at), append(d.values, value)
		text = text[length+1:]
	}
	d.scanner.take(all - len(text))
}

// sample decodes [1435781430.781,"0.5"].
func (d *decoder) sample() {
	s := &d.scanner
	if at, value, length := plainSample(s.buffered(lookahead)); length > 0 {
		s.take(length)
		d.addSample(at, value)
		return
	}
	s.expect('[')
	at := s.timestamp()
	s.expect(',')
	value := s.float()
	s.expect(']')
	d.addSample(at, value)
}

func (d *decoder) addSample(at int64, value float64) {
	if len(d.times) >= d.room {
		d.check(len(d.times) + 1)
		return
	}
	d.times, d.values = append(d.times, at), append(d.values, value)
}
