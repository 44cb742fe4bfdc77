package promql

import (
	"fmt"
	"net/http"
	"sync/atomic"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// Limits bound the size of a result. 0 is no limit.
type Limits struct {
	// Series is the maximum number of time series, each of which becomes a frame.
	Series int
	// Samples is the maximum number of samples of all series; for native histograms see [series.Histograms.Samples].
	Samples int
	// Entries is the maximum length of a list.
	Entries int
	// Total counts the samples of all responses of one result, to which the limit applies then; nil counts those of one response.
	Total *Total
}

// Total counts the samples of responses that are decoded at the same time. The zero value is ready to use.
type Total struct{ samples atomic.Int64 }

// Add adds samples, and returns how many there are.
func (t *Total) Add(samples int) int { return int(t.samples.Add(int64(samples))) }

// Check returns an error if there are more series, or entries of a list, or samples than allowed. It names the limit and what to change.
func (l Limits) Check(series, samples int) error {
	switch {
	case l.Entries > 0 && series > l.Entries:
		return tooMany("The list has more than %d entries, which is the limit. List fewer, with a selector or the parameter limit.", l.Entries)
	case l.Series > 0 && series > l.Series:
		return tooMany("The result has more than %d series, which is the limit. Query fewer, with more labels in the selector, topk() or sum by (…) "+
			"for example; or raise Series per response in the data source's settings, section Advanced.", l.Series)
	case l.Samples > 0 && samples > l.Samples:
		return tooMany("The result has more than %d points, which is the limit. Use a longer step, a shorter range or fewer series, "+
			"with topk() or sum by (…) for example; or raise Points per response in the data source's settings, section Advanced.", l.Samples)
	}
	return nil
}

func tooMany(message string, limit int) error {
	return &transport.Error{Kind: transport.ErrTooLarge, Status: http.StatusBadRequest, Message: fmt.Sprintf(message, limit)}
}
