package results

import (
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promjson"
)

// Response is a response of the platform.
type Response struct {
	*promjson.Result
	// Date is the clock of the platform when it responded; zero if the response has none.
	Date time.Time
}

// date is the time of the platform's clock, but no later than asOf, which is when the request was sent by the local clock.
func (r *Response) date(asOf int64) int64 {
	if r.Date.IsZero() {
		return asOf
	}
	return min(asOf, r.Date.UnixMilli())
}

// Origin says how much of a result is from the cache.
type Origin struct {
	// FetchedSteps and CachedSteps add up to the steps of the range. FetchedSteps are those that were requested for this
	// result, or for a coalesced one. An instant query has one step.
	FetchedSteps int `json:"askedSteps"`
	CachedSteps  int `json:"cachedSteps"`
	// AsOf is when the result was last fetched, in Unix milliseconds: the platform would have returned the same then.
	AsOf int64 `json:"asOf"`
}

// copyOf copies a result with its frames, their meta and fields, so that the caller can name and configure them. Values and
// labels are shared, and a matrix.
func copyOf(result *promjson.Result) *promjson.Result {
	own := *result
	own.Frames = make(data.Frames, len(result.Frames))
	for i, frame := range result.Frames {
		fields := make(data.Fields, len(frame.Fields))
		for j, field := range frame.Fields {
			same := *field
			fields[j] = &same
		}
		own.Frames[i] = data.NewFrame(frame.Name, fields...)
		if frame.Meta != nil {
			meta := *frame.Meta
			own.Frames[i].Meta = &meta
		}
	}
	return &own
}
