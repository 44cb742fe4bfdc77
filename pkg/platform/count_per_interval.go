package platform

import (
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/data"
)

const (
	// defaultInterval is for queries without an interval.
	defaultInterval = time.Minute
	// maxIntervals is Prometheus' limit of points per series.
	maxIntervals = 11_000
)

// intervals cover a time range. They are equally long and aligned to multiples of their length since 1970.
type intervals struct {
	first time.Time
	step  time.Duration
	count int
}

// intervalsOf are the intervals of a query's range. They are longer than the query's interval if there were too many.
func intervalsOf(saved backend.DataQuery) intervals {
	step := saved.Interval.Truncate(time.Millisecond)
	if step <= 0 {
		step = defaultInterval
	}
	if span := saved.TimeRange.To.Sub(saved.TimeRange.From); span/step >= maxIntervals {
		step = (span/maxIntervals + time.Second).Truncate(time.Second)
	}
	i := intervals{step: step}
	i.first = i.start(saved.TimeRange.From)
	i.count = 1 + int(i.start(saved.TimeRange.To).Sub(i.first)/step)
	return i
}

// start is the beginning of the interval that contains a time.
func (i intervals) start(t time.Time) time.Time {
	ms, step := t.UnixMilli(), i.step.Milliseconds()
	return time.UnixMilli(ms - (ms%step+step)%step).UTC()
}

// index is the index of the interval that contains a time. It may be out of range.
func (i intervals) index(t time.Time) int { return int(i.start(t).Sub(i.first) / i.step) }

// counts is a wide time series of the number of items in each interval of the query, labeled by the columns of text. An
// interval without items is 0, or null outside of the times of a partial list. Its error is a *query.Error.
func (t *timedRows) counts(saved backend.DataQuery, partial bool) (*data.Frame, error) {
	groups, err := t.groups()
	if err != nil {
		return nil, err
	}
	span := intervalsOf(saved)
	if err := checkCells(span.count, len(groups)); err != nil {
		return nil, err
	}
	from, to := 0, span.count-1
	if partial && len(t.rows) == 0 {
		to = -1
	} else if partial {
		from = max(from, span.index(t.at(t.rows[0])))
		to = min(to, span.index(t.at(t.rows[len(t.rows)-1])))
	}
	times := make([]time.Time, span.count)
	for i := range times {
		times[i] = span.first.Add(time.Duration(i) * span.step)
	}
	frame := wideFrame(t.column.Name, times)
	for _, g := range groups {
		values := make([]float64, span.count)
		for _, row := range g.rows {
			if i := span.index(t.at(t.rows[row])); i >= 0 && i < span.count {
				values[i]++
			}
		}
		counts := make([]*float64, span.count)
		for i := from; i <= to; i++ {
			counts[i] = &values[i]
		}
		frame.Fields = append(frame.Fields, data.NewField("count", g.labels, counts))
	}
	return frame, nil
}
