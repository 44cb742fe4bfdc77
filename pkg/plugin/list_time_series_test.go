package plugin_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/require"
)

// auditLogs are two pages of a list, with two items at one time and one item outside of the hour before noon.
const auditLogs = `{"items":[
	{"id":"1","at":"2025-06-02T11:30:20Z","action":"create","actor":"ann","took":5},
	{"id":"2","at":"2025-06-02T11:30:20Z","action":"create","actor":"ann","took":7},
	{"id":"3","at":"2025-06-02T11:30:40Z","action":"delete","actor":"bob","took":1},
	{"id":"4","at":"2025-06-02T11:58:00Z","action":"create","actor":"bob","took":2},
	{"id":"5","at":"2025-06-02T10:00:00Z","action":"create","actor":"bob","took":2},
	{"id":"6","action":"create"}]}`

// overTime runs the query of a list over time, with changes.
func overTime(t *testing.T, response string, changes values) backend.DataResponse {
	t.Helper()
	saved := values{"queryType": "platform", "path": "/v1/audit-logs", "timeColumn": "at"}
	for name, value := range changes {
		saved[name] = value
	}
	got := runQueries(t, newMainAPI(t, map[string]string{"/v1/audit-logs": response}, nil), dataQuery(t, "A", saved))["A"]
	if got.Error == nil {
		_, err := got.Frames.MarshalArrow()
		require.NoError(t, err)
	}
	return got
}

// noticesOf are the texts of a frame's notices.
func noticesOf(frame *data.Frame) string {
	var texts []string
	for _, notice := range frame.Meta.Notices {
		texts = append(texts, notice.Text)
	}
	return strings.Join(texts, "\n")
}

func TestListSeries_RepeatedTimes(t *testing.T) {
	got := overTime(t, auditLogs, values{"columns": []values{{"selector": "at"}, {"selector": "action"}, {"selector": "took"}}})
	require.NoError(t, got.Error)
	frame := got.Frames[0]
	require.Equal(t, data.FrameTypeTimeSeriesWide, frame.Meta.Type)
	require.Len(t, frame.Fields, 3)
	require.Equal(t, data.Labels{"action": "create"}, frame.Fields[1].Labels)
	var times []string
	var took []float64
	for row := range frame.Rows() {
		if value := frame.Fields[1].At(row).(*float64); value != nil {
			times = append(times, frame.Fields[0].At(row).(time.Time).Format("15:04:05"))
			took = append(took, *value)
		}
	}
	require.Equal(t, []string{"10:00:00", "11:30:20", "11:30:20", "11:58:00"}, times)
	require.Equal(t, []float64{2, 5, 7, 2}, took)
	require.Contains(t, noticesOf(frame), "1 of 6 items have no time")
	require.Contains(t, noticesOf(frame), "1 of 5 items have the time and the labels of another; all are drawn. Count per interval adds them up.")
}

func TestListCount_PerInterval(t *testing.T) {
	got := overTime(t, auditLogs, values{"aggregate": "count", "columns": []values{{"selector": "action"}}})
	require.NoError(t, got.Error)
	frame := got.Frames[0]
	require.Equal(t, data.FrameTypeTimeSeriesWide, frame.Meta.Type)
	require.Equal(t, []string{"at", "count", "count"}, fieldNames(frame))
	require.Equal(t, data.Labels{"action": "create"}, frame.Fields[1].Labels)
	require.Equal(t, data.Labels{"action": "delete"}, frame.Fields[2].Labels)
	require.Equal(t, 61, frame.Rows(), "a minute each, both ends included")
	require.Equal(t, noon.Add(-time.Hour), frame.Fields[0].At(0))
	require.Equal(t, noon, frame.Fields[0].At(60))
	counts := map[string]float64{}
	for row := range frame.Rows() {
		for _, field := range frame.Fields[1:] {
			value := field.At(row).(*float64)
			require.NotNil(t, value, "zero where there is no item")
			if *value != 0 {
				counts[frame.Fields[0].At(row).(time.Time).Format("15:04 ")+field.Labels["action"]] = *value
			}
		}
	}
	require.Equal(t, map[string]float64{"11:30 create": 2, "11:30 delete": 1, "11:58 create": 1}, counts)
	require.NotContains(t, noticesOf(frame), "of another")
}

func TestListCount_NoColumns(t *testing.T) {
	frame := overTime(t, auditLogs, values{"aggregate": "count"}).Frames[0]
	require.Equal(t, []string{"at", "count"}, fieldNames(frame))
	require.Empty(t, frame.Fields[1].Labels)
	sum := 0.0
	for row := range frame.Rows() {
		sum += *frame.Fields[1].At(row).(*float64)
	}
	require.Equal(t, 4.0, sum)

	frame = overTime(t, `{"items":[]}`, values{"aggregate": "count"}).Frames[0]
	require.Equal(t, 61, frame.Rows())
	require.Equal(t, 0.0, *frame.Fields[1].At(30).(*float64), "an alert rule on no items has a number")
}

func TestListCount_PartialList(t *testing.T) {
	pages := map[string]string{"/v1/audit-logs": strings.Replace(auditLogs, "]}", `],"next_token":"more"}`, 1)}
	ds := newMainAPI(t, pages, nil)
	frame := frames(t, ds, values{"queryType": "platform", "path": "/v1/audit-logs", "timeColumn": "at", "aggregate": "count", "maxPages": 1,
		"params": []values{}})[0]
	require.Contains(t, noticesOf(frame), "Only the first 1 pages are shown")
	at := func(minute int) *float64 { return frame.Fields[1].At(minute).(*float64) }
	require.NotNil(t, at(0), "an item before the range was read")
	require.Equal(t, 0.0, *at(50))
	require.Equal(t, 1.0, *at(58))
	require.Nil(t, at(59), "after the last item that was read")
}

func TestListCount_Intervals(t *testing.T) {
	ds := newMainAPI(t, map[string]string{"/v1/audit-logs": auditLogs}, nil)
	for name, test := range map[string]struct {
		interval, span time.Duration
		rows           int
		step           time.Duration
	}{
		"five minutes":                 {5 * time.Minute, time.Hour, 13, 5 * time.Minute},
		"not a part of the hour":       {7 * time.Minute, time.Hour, 9, 7 * time.Minute},
		"none":                         {0, time.Hour, 61, time.Minute},
		"so many that they are longer": {time.Millisecond, 24 * time.Hour, 10_801, 8 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			query := dataQuery(t, "A", values{"queryType": "platform", "path": "/v1/audit-logs", "timeColumn": "at", "aggregate": "count"})
			query.Interval, query.TimeRange.From = test.interval, noon.Add(-test.span)
			frame := runQueries(t, ds, query)["A"].Frames[0]
			require.Equal(t, test.rows, frame.Rows())
			first, second := frame.Fields[0].At(0).(time.Time), frame.Fields[0].At(1).(time.Time)
			require.Equal(t, test.step, second.Sub(first))
			require.Zero(t, first.UnixMilli()%test.step.Milliseconds(), "aligned")
		})
	}
}

func TestListSeries_Limit(t *testing.T) {
	var items []string
	for i := range 1001 {
		items = append(items, fmt.Sprintf(`{"id":"%d","at":%d,"n":1}`, i, noon.Unix()-int64(i)))
	}
	response := `{"items":[` + strings.Join(items, ",") + `]}`
	for name, changes := range map[string]values{
		"over time": {},
		"counted":   {"aggregate": "count", "columns": []values{{"selector": "id"}}},
	} {
		t.Run(name, func(t *testing.T) {
			got := overTime(t, response, changes)
			require.ErrorContains(t, got.Error, "Columns: the columns of text make 1001 series, and the limit is 1000. Leave out those with many values, such as ids.")
			require.Equal(t, backend.StatusBadRequest, got.Status)
		})
	}
	require.NoError(t, overTime(t, response, values{"aggregate": "count"}).Error)
}

func TestListCount_Invalid(t *testing.T) {
	require.ErrorContains(t, overTime(t, auditLogs, values{"aggregate": "count", "timeColumn": ""}).Error,
		"Time column: a count per interval needs the column that holds the items' times.")
	require.ErrorContains(t, overTime(t, auditLogs, values{"aggregate": "sum"}).Error, `Aggregate: use none or count.`)
	require.NoError(t, overTime(t, auditLogs, values{"aggregate": "none", "timeColumn": ""}).Error)
}

func TestListSeries_TimesAndNumbers(t *testing.T) {
	frame := overTime(t, `{"items":[{"at":1748865600,"n":2},{"at":1748865540,"n":1}]}`, nil).Frames[0]
	require.Equal(t, data.FrameTypeTimeSeriesWide, frame.Meta.Type)
	require.Equal(t, []string{"at", "n"}, fieldNames(frame))
	require.Equal(t, 1.0, *frame.Fields[1].At(0).(*float64))
}
