package jobs_test

import (
	"fmt"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/jobs"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// ofValue is a gateway with a job that reports a loss of 0.5, and then one that is written as it stands.
func ofValue(written string) *gateway {
	return &gateway{jobs: []any{job("a", nil)}, handle: func(w http.ResponseWriter, r *http.Request) bool {
		if strings.HasSuffix(r.URL.Path, "/metrics") {
			_, _ = fmt.Fprintf(w, `{"metrics":[{"metric_name":"train_loss","data":[{"step":1,"timestamp":%d,"value":0.5},{"step":2,"timestamp":%d,%s}]}]}`,
				ago(2*time.Hour), ago(90*time.Minute), written)
			return true
		}
		return false
	}}
}

// Python's json.dumps writes the loss of a job that diverged as a bare word.
func TestRuns_BareNumbers(t *testing.T) {
	for written, want := range map[string]float64{
		`"value":NaN`: math.NaN(), `"value": -Infinity`: math.Inf(-1), `"other":[NaN , Infinity],"value":Infinity`: math.Inf(1),
		`"value":1,"other":"\",NaN:[-Infinity"`: 1,
	} {
		var notices query.Notices
		found, err := newClient(t, ofValue(written)).Runs(t.Context(), jobs.RunFilters{
			Samples: true, Metrics: query.NewChoices([]string{"train_loss"}), From: noon.Add(-24 * time.Hour), To: noon,
		}, &notices)
		require.NoError(t, err, written)
		require.Empty(t, notices, written)
		require.Len(t, found[0].Samples, 2, written)
		require.Equal(t, fmt.Sprint(want), fmt.Sprint(found[0].Samples[1].Value), written)
	}
}

// Nothing else that is not JSON becomes readable.
func TestRuns_OtherWords(t *testing.T) {
	for _, written := range []string{
		`"value":nan`, `"value":NaNs`, `"value":NaN1`, `"value":1NaN`, `"value":1 NaN`, `"value":NaN NaN`, `"value":--Infinity`, `"value":+Infinity`, `"value":Inf`,
		`"value":{NaN:1}`, `"value"NaN`, `"value":NaN:1`, `NaN`, `"value":[NaN:1]`, `"value":-`, `"value":'NaN'`,
	} {
		_, err := newClient(t, ofValue(written)).Runs(t.Context(), jobs.RunFilters{Samples: true, From: noon.Add(-24 * time.Hour), To: noon}, &query.Notices{})
		require.ErrorContains(t, err, "sent something other than a job's metrics", written)
	}
}
