package gateway

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// A run of days reports a metric at each step: the values of all are bounded by their number.
func TestReadSamples_LongMetric(t *testing.T) {
	const n = 10_000
	var body strings.Builder
	body.WriteString(`{"metrics":[{"metric_name":"step","data":[{"step":1,"value":7}]},{"data":[`)
	for i := range n {
		if i > 0 {
			body.WriteByte(',')
		}
		fmt.Fprintf(&body, `{"step":%d,"timestamp":"2026-03-01T08:00:00Z","value":0.5}`, i)
	}
	body.WriteString(`],"name":"loss"},"other",[1],{"name":"no values"}],"object":"metrics"}`)

	c := &Client{Config: Config{Transport: &transport.Client{}, MaxSamples: maxSamples}}
	samples, err := c.readSamples([]byte(body.String()))

	require.NoError(t, err)
	require.Len(t, samples, n+1, "what is no metric has none")
	require.Equal(t, []string{"current_step", "train_loss", "train_loss"}, []string{samples[0].Metric, samples[1].Metric, samples[n].Metric})
	require.Equal(t, []float64{7, n - 1}, []float64{samples[0].Step, samples[n].Step})
}

func TestReadSamples_ManyValues(t *testing.T) {
	c := &Client{Config: Config{Transport: &transport.Client{}, MaxSamples: 2}}

	_, err := c.readSamples([]byte(`{"metrics":[{"name":"a","data":[1,1]},{"name":"b","data":[1]}]}`))

	require.ErrorContains(t, err, "more than 2 values")
}

// Each metric of a job is a curve: more than there are columns for are an error before they are grouped.
func TestReadSamples_ManyMetrics(t *testing.T) {
	var metrics []string
	for i := range 2_001 {
		metrics = append(metrics, fmt.Sprintf(`{"metric_name":"m%d","data":[{"step":1,"value":1}]}`, i))
	}
	c := &Client{Config: Config{Transport: &transport.Client{}, MaxSamples: maxSamples}}

	_, err := c.readSamples([]byte(`{"metrics":[` + strings.Join(metrics, ",") + `]}`))

	require.ErrorContains(t, err, "more than 2000 metrics of a job")
}
