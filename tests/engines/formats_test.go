//go:build engines

package engines

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/klauspost/compress/snappy"
	"github.com/prometheus/prometheus/prompb"
)

// older visits the samples before the split by metric, as OpenMetrics wants them.
func (d dataset) older(visit func(s series, samples []sample)) {
	for _, s := range d.series {
		end := slices.IndexFunc(s.samples, func(p sample) bool { return !p.at.Before(d.split) })
		if end < 0 {
			end = len(s.samples)
		}
		if end > 0 {
			visit(s, s.samples[:end])
		}
	}
}

// openMetrics writes the older samples for promtool. Their type is unknown, so that any name will do.
//
// Format: https://github.com/prometheus/OpenMetrics/blob/main/specification/OpenMetrics.md
func (d dataset) openMetrics() []byte {
	byName := map[string]*bytes.Buffer{}
	var names []string
	d.older(func(s series, samples []sample) {
		if byName[s.name] == nil {
			byName[s.name] = &bytes.Buffer{}
			names = append(names, s.name)
		}
		for _, p := range samples {
			_, _ = fmt.Fprintf(byName[s.name], "%s %s %s\n", s.identity(), number(p.value), unix(p.at))
		}
	})
	var all bytes.Buffer
	for _, name := range names {
		_, _ = byName[name].WriteTo(&all)
	}
	all.WriteString("# EOF\n")
	return all.Bytes()
}

// exposition writes the older samples for /api/v1/import/prometheus.
//
// Format: https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format
func (d dataset) exposition() []byte {
	var all bytes.Buffer
	d.older(func(s series, samples []sample) {
		for _, p := range samples {
			_, _ = fmt.Fprintf(&all, "%s %s %d\n", s.identity(), number(p.value), p.at.UnixMilli())
		}
	})
	return all.Bytes()
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

var remoteWriteHeaders = http.Header{
	"Content-Encoding": {"snappy"}, "Content-Type": {"application/x-protobuf"}, "X-Prometheus-Remote-Write-Version": {"0.1.0"},
}

// remoteWrites are the bodies of requests that write the recent samples, in the order of time.
//
// Format: https://prometheus.io/docs/specs/prw/remote_write_spec/
func (d dataset) remoteWrites(histograms bool) [][]byte {
	const batch = 10 * time.Minute
	var bodies [][]byte
	for from := d.split; from.Before(d.to); from = from.Add(batch) {
		var request prompb.WriteRequest
		for _, s := range d.series {
			written := prompb.TimeSeries{Labels: []prompb.Label{{Name: "__name__", Value: s.name}}}
			for _, label := range s.labels {
				written.Labels = append(written.Labels, prompb.Label{Name: label[0], Value: label[1]})
			}
			slices.SortFunc(written.Labels, func(a, b prompb.Label) int { return bytes.Compare([]byte(a.Name), []byte(b.Name)) })
			for _, p := range s.samples {
				switch at := p.at.UnixMilli(); {
				case p.at.Before(from) || !p.at.Before(from.Add(batch)):
				case p.histogram == nil:
					written.Samples = append(written.Samples, prompb.Sample{Value: p.value, Timestamp: at})
				case histograms:
					written.Histograms = append(written.Histograms, prompb.FromIntHistogram(at, p.histogram))
				}
			}
			if len(written.Samples)+len(written.Histograms) > 0 {
				request.Timeseries = append(request.Timeseries, written)
			}
		}
		encoded, err := request.Marshal()
		if err != nil {
			panic(err) // a message of numbers and texts can be encoded
		}
		bodies = append(bodies, snappy.Encode(nil, encoded))
	}
	return bodies
}
