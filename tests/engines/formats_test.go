//go:build engines

package engines

import (
	"net/http"
	"time"

	"github.com/klauspost/compress/snappy"
	"github.com/prometheus/prometheus/prompb"
)

var remoteWriteHeaders = http.Header{
	"Content-Encoding": {"snappy"}, "Content-Type": {"application/x-protobuf"}, "X-Prometheus-Remote-Write-Version": {"0.1.0"},
}

// remoteWrites are the bodies of requests that write the samples, in the order of time.
//
// Format: https://prometheus.io/docs/specs/prw/remote_write_spec/
func (d dataset) remoteWrites(histograms bool) [][]byte {
	const batch = 2 * time.Hour
	var bodies [][]byte
	for from := d.from; from.Before(d.to); from = from.Add(batch) {
		var request prompb.WriteRequest
		for _, s := range d.series {
			written := prompb.TimeSeries{Labels: prompb.FromLabels(s.labels, nil)}
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
		if len(request.Timeseries) == 0 {
			continue
		}
		encoded, err := request.Marshal()
		if err != nil {
			panic(err) // a message of numbers and texts can be encoded
		}
		bodies = append(bodies, snappy.Encode(nil, encoded))
	}
	return bodies
}
