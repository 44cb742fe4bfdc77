package placement_test

import (
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
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
