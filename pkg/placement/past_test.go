package placement_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/placement"
)

// Samples end at noon, and it is three o'clock: at the end of a range in the past there are the nodes of then, and now there are none.
func TestQuery_RangeInThePast(t *testing.T) {
	metrics, served := largePlatform(2, 1)
	client := &placement.Client{Metrics: metrics, Lists: served, Now: func() time.Time { return noon.Add(3 * time.Hour) }}
	idle := func(end time.Time, format string) (int, string) {
		t.Helper()
		frames, err := client.QueryData(t.Context(), backend.DataQuery{
			RefID: "A", JSON: []byte(`{"queryType":"placement","gpus":1,"format":"` + format + `"}`), TimeRange: backend.TimeRange{From: end.Add(-time.Hour), To: end},
		}, false)
		require.NoError(t, err)
		said := ""
		for _, notice := range frames[0].Meta.Notices {
			said += notice.Text
		}
		return frames[0].Rows(), said
	}
	then, says := idle(noon, "table")
	now, saysNow := idle(noon.Add(3*time.Hour), "table")
	require.Greater(t, then, now)
	require.Contains(t, says, "capacities and quotas those of now")
	require.NotContains(t, saysNow, "those of now")
}

// TestPlatform_ManyFreeNodes requires that the nodes after the 200th are one row, so that GPUs add up to all that are free.
func TestPlatform_ManyFreeNodes(t *testing.T) {
	metrics := &engine{}
	for i := range 300 {
		of := labels.FromStrings("Hostname", fmt.Sprint("n-", i), "gpu", "0")
		metrics.load("DCGM_FI_DEV_GPU_UTIL", 0, of)
		metrics.load("DCGM_FI_DEV_FB_USED", 4, of)
	}
	client := &placement.Client{Metrics: metrics, Now: func() time.Time { return noon }}
	frames, err := client.QueryData(t.Context(), backend.DataQuery{JSON: []byte(`{"format": "nodes"}`)}, false)
	require.NoError(t, err)
	gpus, _ := frames[0].FieldByName("gpus")
	require.Equal(t, 200, gpus.Len())
	sum := 0.0
	for i := range gpus.Len() {
		value, _ := gpus.NullableFloatAt(i)
		sum += *value
	}
	require.Equal(t, 300.0, sum)
}
