package mainapi_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// auditLogs are items with two at one time, and one without a time.
const auditLogs = `{"items":[
	{"id":"1","at":"2025-06-02T11:30:20Z","action":"create","actor":"ann","took":5},
	{"id":"2","at":"2025-06-02T11:30:20Z","action":"create","actor":"ann","took":7},
	{"id":"3","at":"2025-06-02T11:30:40Z","action":"delete","actor":"bob","took":1},
	{"id":"4","at":"2025-06-02T11:58:00Z","action":"create","actor":"bob","took":2},
	{"id":"5","at":"2025-06-02T10:00:00Z","action":"create","actor":"bob","took":2},
	{"id":"6","action":"create"}]}`

// overTime runs the query of a list over time, with changes.
func overTime(t *testing.T, response string, changes values) response {
	t.Helper()
	saved := values{"queryType": "platform", "path": "/v1/audit-logs", "timeColumn": "at"}
	for name, value := range changes {
		saved[name] = value
	}
	got := run(t, newMainAPI(t, map[string]string{"/v1/audit-logs": response}, nil), saved)
	if got.Error == nil {
		_, err := got.Frames.MarshalArrow()
		require.NoError(t, err)
	}
	return got
}

func TestListSeries_ByLabels(t *testing.T) {
	got := overTime(t, auditLogs, values{"columns": []values{{"selector": "at"}, {"selector": "action"}, {"selector": "took", "unit": "s"}}})
	require.NoError(t, got.Error)
	require.Len(t, got.Frames, 2)
	frame := got.Frames[0]
	require.Equal(t, data.FrameTypeTimeSeriesMulti, frame.Meta.Type)
	require.Equal(t, []string{"Time", "took"}, fieldNames(frame))
	require.Equal(t, data.Labels{"action": "create"}, frame.Fields[1].Labels)
	require.Equal(t, "s", frame.Fields[1].Config.Unit)
	var times []string
	var took []float64
	for row := range frame.Rows() {
		times = append(times, frame.Fields[0].At(row).(time.Time).Format("15:04:05"))
		took = append(took, frame.Fields[1].At(row).(float64))
	}
	require.Equal(t, []string{"10:00:00", "11:30:20", "11:30:20", "11:58:00"}, times)
	require.Equal(t, []float64{2, 5, 7, 2}, took, "items of one time are points each")
	require.Equal(t, data.Labels{"action": "delete"}, got.Frames[1].Fields[1].Labels)
	require.Contains(t, frame.Meta.Notices[0].Text, "1 of 6 items have no time")
}

func TestListSeries_Limit(t *testing.T) {
	var items []string
	for i := range 1001 {
		items = append(items, fmt.Sprintf(`{"id":"%d","at":%d,"n":1}`, i, noon.Unix()-int64(i)))
	}
	got := overTime(t, `{"items":[`+strings.Join(items, ",")+`]}`, nil)
	require.ErrorContains(t, got.Error, "Columns: the columns make 1001 series, and the limit is 1000. Leave out columns of text with many values, such as ids.")
	require.ErrorAs(t, got.Error, new(*query.Error))
}
