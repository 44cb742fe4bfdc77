package promjson

import (
	"strconv"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/series"
)

// histogram decodes [1435781430.781,{"count":"9","sum":"1.5","buckets":[…]}] into the native histograms of the current series.
func (d *decoder) histogram() {
	s := &d.scanner
	s.expect('[')
	h := d.histograms
	at := s.timestamp()
	s.expect(',')
	var count, sum float64
	for name := range s.object("count", "sum", "buckets") {
		switch name {
		case "count":
			count = s.float()
		case "sum":
			sum = s.float()
		case "buckets":
			for more := s.open('[', ']'); more; more = s.next(']') {
				d.bucket(h)
			}
		}
	}
	s.expect(']')
	h.Times, h.Count, h.Sum, h.Ends = append(h.Times, at), append(h.Count, count), append(h.Sum, sum), append(h.Ends, len(h.Layout))
	if h.Samples() > d.room {
		d.check(h.Samples())
	}
}

// bucket decodes [0,"0.5","1","7"]: which of the bounds are inclusive, the bounds, and the number of observations.
func (d *decoder) bucket(h *series.Histograms) {
	s := &d.scanner
	s.expect('[')
	layout, err := strconv.ParseInt(string(s.number()), 10, 8)
	if err != nil {
		s.fail(ErrMalformed)
	}
	var values [3]float64
	for i := range values {
		s.expect(',')
		values[i] = s.float()
	}
	s.expect(']')
	if len(h.Layout) >= d.room {
		d.check(len(h.Layout) + 1)
		return
	}
	h.Layout, h.Lower, h.Upper, h.Within = append(h.Layout, int8(layout)), append(h.Lower, values[0]), append(h.Upper, values[1]), append(h.Within, values[2])
}
