package prom_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/series"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

// side is the platform or its archive: an endpoint that records requests, and can add a label to each series, or fail.
type side struct {
	address *url.URL
	status  atomic.Int32
	label   string

	mu       sync.Mutex
	requests []url.Values
}

func newSide(t *testing.T, endpoint *url.URL, label string) *side {
	t.Helper()
	s := &side{label: label}
	s.address = serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if status := s.status.Load(); status != 0 {
			w.WriteHeader(int(status))
			_, _ = io.WriteString(w, `{"status":"error","errorType":"bad_data","error":"no such thing"}`)
			return
		}
		s.mu.Lock()
		s.requests = append(s.requests, r.URL.Query())
		s.mu.Unlock()
		forwarded, _ := http.NewRequestWithContext(r.Context(), http.MethodGet, endpoint.String()+r.URL.Path+"?"+r.URL.RawQuery, nil)
		forwarded.Header = r.Header.Clone()
		forwarded.Header.Del("Accept-Encoding")
		recorder := httptest.NewRecorder()
		response, err := http.DefaultTransport.RoundTrip(forwarded)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		defer func() { _ = response.Body.Close() }()
		_, _ = io.Copy(recorder, response.Body)
		w.WriteHeader(response.StatusCode)
		body := bytes.ReplaceAll(recorder.Body.Bytes(), []byte(`"metric":{"`), []byte(`"metric":{`+s.label+`"`))
		_, _ = w.Write(body)
	}))
	return s
}

// ranges are the first and last steps of the range queries, relative to a time.
func (s *side) ranges(t *testing.T, to time.Time) (ranges [][2]time.Duration) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, request := range s.requests {
		if !request.Has("start") || !request.Has("step") {
			continue
		}
		start, err := time.Parse(time.RFC3339, request.Get("start"))
		require.NoError(t, err)
		end, err := time.Parse(time.RFC3339, request.Get("end"))
		require.NoError(t, err)
		ranges = append(ranges, [2]time.Duration{start.Sub(to), end.Sub(to)})
	}
	return ranges
}

func (s *side) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.requests)
}

type archived struct {
	*prom.Client
	platform, archive *side
	// direct queries the endpoint without an archive.
	direct *prom.Client
}

// newArchived is a platform and an archive with the same samples. The archive adds a label to each series, `"job":"feed",` for
// example.
func newArchived(t *testing.T, label string, drop ...string) archived {
	t.Helper()
	clock := newClock()
	endpoint := newPlatform(t, clock, platform.Config{Nodes: 3, GPUsPerNode: 1})
	a := archived{platform: newSide(t, endpoint, ""), archive: newSide(t, endpoint, label)}
	config := func(base *url.URL) prom.Config {
		return prom.Config{Transport: newTransport(t), Base: base, Now: clock.now, Cache: cached}
	}
	a.direct = prom.New(config(endpoint))
	newer := config(a.platform.address)
	newer.Retention = 7 * day
	newer.Archive = &prom.Archive{Transport: newTransportOf(t, "The archive"), Base: a.archive.address, DropLabels: drop}
	a.Client = prom.New(newer)
	t.Cleanup(a.Close)
	t.Cleanup(a.direct.Close)
	return a
}

func (a archived) query(t *testing.T, q saved, to time.Time, span time.Duration) (data.Frames, error) {
	t.Helper()
	return a.QueryData(t.Context(), dataQuery(t, q, to, span), false)
}

func hourly(expr string) saved { return saved{"expr": expr, "range": true, "interval": "1h"} }

// The clock is at noon, and the platform stores samples for a week. So the edge is 7 days ago at 13:00, and the first step that
// the platform has all samples of is at 15:00, 5 minutes and a step later.
func TestArchive_Division(t *testing.T) {
	const seam = -7*day + 3*time.Hour
	type ranges = [][2]time.Duration
	for name, test := range map[string]struct {
		expr              string
		span              time.Duration
		platform, archive ranges
	}{
		"within the retention":        {`DCGM_FI_DEV_GPU_UTIL`, 6 * day, ranges{{-6 * day, 0}}, nil},
		"over the seam":               {`avg(DCGM_FI_DEV_GPU_UTIL)`, 12 * day, ranges{{seam, 0}}, ranges{{-12 * day, seam - time.Hour}}},
		"with a window":               {`avg_over_time(DCGM_FI_DEV_GPU_UTIL[1d])`, 12 * day, ranges{{seam + day, 0}}, ranges{{-12 * day, seam + day - time.Hour}}},
		"with an offset":              {`DCGM_FI_DEV_GPU_UTIL - DCGM_FI_DEV_GPU_UTIL offset 2d`, 12 * day, ranges{{seam + 2*day, 0}}, ranges{{-12 * day, seam + 2*day - time.Hour}}},
		"with a later sample":         {`DCGM_FI_DEV_GPU_UTIL offset -1h`, 12 * day, ranges{{seam - time.Hour, 0}}, ranges{{-12 * day, seam - 2*time.Hour}}},
		"with an old fixed time":      {`DCGM_FI_DEV_GPU_UTIL @ 1747800000`, 4 * day, nil, ranges{{-4 * day, 0}}},
		"with a recent fixed time":    {`DCGM_FI_DEV_GPU_UTIL @ 1748700000`, 4 * day, ranges{{-4 * day, 0}}, nil},
		"with a window of eight days": {`count_over_time(DCGM_FI_DEV_GPU_UTIL[8d])`, 4 * day, nil, ranges{{-4 * day, 0}}},
		"without samples":             {`vector(time())`, 12 * day, ranges{{-12 * day, 0}}, nil},
		"of the range, old":           {`DCGM_FI_DEV_GPU_UTIL @ start()`, 12 * day, nil, ranges{{-12 * day, 0}}},
		"of the range, recent":        {`DCGM_FI_DEV_GPU_UTIL @ start()`, 4 * day, ranges{{-4 * day, 0}}, nil},
		"of the start, just after":    {`sum_over_time(DCGM_FI_DEV_GPU_UTIL[7d] @ start())`, 6 * day, nil, ranges{{-6 * day, 0}}},
		"of the end, recent":          {`sum_over_time(DCGM_FI_DEV_GPU_UTIL[1d] @ end())`, 5 * day, ranges{{-5 * day, 0}}, nil},
		"of the end, over the seam":   {`sum_over_time(DCGM_FI_DEV_GPU_UTIL[1d] @ end())`, 12 * day, nil, ranges{{-12 * day, 0}}},
		"too long to be parsed":       {`sum_over_time(DCGM_FI_DEV_GPU_UTIL[2d])` + strings.Repeat(" ", 64<<10), 6 * day, nil, ranges{{-6 * day, 0}}},
		"too long, recent":            {`sum_over_time(DCGM_FI_DEV_GPU_UTIL[2d])` + strings.Repeat(" ", 64<<10), 4 * day, nil, ranges{{-4 * day, 0}}},
	} {
		t.Run(name, func(t *testing.T) {
			a := newArchived(t, "")
			_, err := a.query(t, hourly(test.expr), noon, test.span)
			require.NoError(t, err)
			require.Equal(t, test.platform, a.platform.ranges(t, noon), "platform")
			require.Equal(t, test.archive, a.archive.ranges(t, noon), "archive")
		})
	}
	t.Run("wholly older", func(t *testing.T) {
		a := newArchived(t, "")
		_, err := a.query(t, hourly(`DCGM_FI_DEV_GPU_UTIL`), noon.Add(-8*day), day)
		require.NoError(t, err)
		require.Empty(t, a.platform.ranges(t, noon))
		require.Len(t, a.archive.ranges(t, noon), 1)
	})
}

// sameAsDirect compares a query over the seam with the endpoint that has all samples.
func (a archived) sameAsDirect(t *testing.T, expr string) data.Frames {
	t.Helper()
	want, err := a.direct.QueryData(t.Context(), dataQuery(t, hourly(expr), noon, 12*day), false)
	require.NoError(t, err)
	got, err := a.query(t, hourly(expr), noon, 12*day)
	require.NoError(t, err)
	require.Len(t, got, len(want), expr)
	for i := range want {
		require.Equal(t, want[i].Fields[1].Labels, got[i].Fields[1].Labels, expr)
		require.Equal(t, column(want[i].Fields[0]), column(got[i].Fields[0]), expr)
		require.Equal(t, column(want[i].Fields[1]), column(got[i].Fields[1]), expr)
	}
	return got
}

// Which samples MetricsQL needs is not known, and the archive has all of them. The engines of the tests have no MetricsQL.
func TestArchive_DivisionOfMetricsQL(t *testing.T) {
	a := newArchived(t, "")
	_, _ = a.query(t, hourly(`rate(up) default 0`), noon, 6*day)
	require.NotZero(t, a.archive.count())
	require.Zero(t, a.platform.count())
}

func TestLists_OverLimit(t *testing.T) {
	clock := newClock()
	endpoint := newPlatform(t, clock, platform.Config{Nodes: 3, GPUsPerNode: 1, SpecOnly: true})
	client := prom.New(prom.Config{Transport: newTransport(t), Base: endpoint, Now: clock.now, Cache: cached, Limits: promql.Limits{Series: 2}})
	t.Cleanup(client.Close)
	_, err := client.LabelValues(t.Context(), "vm_name", url.Values{"match[]": {`DCGM_FI_DEV_GPU_UTIL`}})
	require.ErrorIs(t, err, transport.ErrTooLarge)
	require.ErrorContains(t, err, "The result has more than 2 series, which is the limit.")
}

func TestArchive_JoinsSeries(t *testing.T) {
	for name, test := range map[string]struct {
		label string
		drop  []string
	}{
		"same labels":  {},
		"added labels": {`"job":"feed","replica":"0",`, []string{"job", "replica"}},
	} {
		t.Run(name, func(t *testing.T) {
			a := newArchived(t, test.label, test.drop...)
			for _, expr := range []string{`DCGM_FI_DEV_GPU_UTIL`, `sum(DCGM_FI_DEV_GPU_UTIL)`, `absent(nothing)`} {
				got := a.sameAsDirect(t, expr)
				require.Equal(t, []string{"The steps before 2025-05-26 15:00 UTC are from the archive, and the others from the platform."}, notices(got))
			}
			requests := a.archive.count() + a.platform.count()
			_, err := a.query(t, hourly(`DCGM_FI_DEV_GPU_UTIL`), noon, 12*day)
			require.NoError(t, err)
			require.Equal(t, requests, a.archive.count()+a.platform.count(), "from the caches")
		})
	}
}

func column(field *data.Field) (values []any) {
	for i := range field.Len() {
		values = append(values, field.At(i))
	}
	return values
}

func notices(frames data.Frames) (texts []string) {
	for _, notice := range frames[0].Meta.Notices {
		texts = append(texts, notice.Text)
	}
	return texts
}

func TestArchive_EqualWithoutLabels(t *testing.T) {
	a := newArchived(t, "", "vm_name")
	got, err := a.query(t, hourly(`count by (vm_name) (DCGM_FI_DEV_GPU_UTIL)`), noon.Add(-8*day), day)
	require.NoError(t, err)
	require.Len(t, got, 1)
	require.Equal(t, []string{"2 series of the archive differ from others only in the labels vm_name, which the settings drop. One of each is shown."}, notices(got))
}

func TestArchive_OneSideDown(t *testing.T) {
	q := dataQuery(t, hourly(`sum(DCGM_FI_DEV_GPU_UTIL)`), noon, 12*day)
	recent := dataQuery(t, hourly(`sum(DCGM_FI_DEV_GPU_UTIL)`), noon, day)
	t.Run("the archive", func(t *testing.T) {
		a := newArchived(t, "")
		a.archive.status.Store(http.StatusBadGateway)
		got, err := a.QueryData(t.Context(), q, false)
		require.NoError(t, err)
		require.Len(t, notices(got), 1)
		require.True(t, strings.HasPrefix(notices(got)[0], "The archive "), notices(got)[0])
		require.True(t, strings.HasSuffix(notices(got)[0], "The steps before 2025-05-26 15:00 UTC are missing."), notices(got)[0])
		require.Equal(t, data.NoticeSeverityWarning, got[0].Meta.Notices[0].Severity)
		require.Equal(t, noon.Add(-7*day+3*time.Hour), got[0].Fields[0].At(0))

		_, err = a.QueryData(t.Context(), q, true)
		require.ErrorIs(t, err, transport.ErrUnavailable, "an alert rule needs both parts")
		_, err = a.QueryData(t.Context(), recent, true)
		require.NoError(t, err, "an alert rule that needs only the platform goes on")
		_, err = a.Evaluate(t.Context(), promql.New(`up`).Over(noon.Add(-12*day), noon, time.Hour))
		require.ErrorIs(t, err, transport.ErrUnavailable)
		_, err = a.QueryRange(t.Context(), rangeOf(`sum(DCGM_FI_DEV_GPU_UTIL)`, 12*day))
		require.ErrorIs(t, err, transport.ErrUnavailable, "clients of the HTTP API don't read warnings")
	})
	t.Run("the platform", func(t *testing.T) {
		a := newArchived(t, "")
		a.platform.status.Store(http.StatusBadGateway)
		got, err := a.QueryData(t.Context(), q, false)
		require.NoError(t, err)
		require.Len(t, notices(got), 1)
		require.True(t, strings.HasSuffix(notices(got)[0], "The steps from 2025-05-26 15:00 UTC on are missing."), notices(got)[0])
		require.Equal(t, noon.Add(-12*day), got[0].Fields[0].At(0))
		_, err = a.QueryData(t.Context(), recent, false)
		require.ErrorIs(t, err, transport.ErrUnavailable)
	})
	t.Run("both", func(t *testing.T) {
		a := newArchived(t, "")
		a.platform.status.Store(http.StatusBadGateway)
		a.archive.status.Store(http.StatusBadGateway)
		_, err := a.QueryData(t.Context(), q, false)
		require.ErrorIs(t, err, transport.ErrUnavailable)
	})
	t.Run("an expression that one side rejects", func(t *testing.T) {
		a := newArchived(t, "")
		a.archive.status.Store(http.StatusBadRequest)
		_, err := a.QueryData(t.Context(), q, false)
		require.ErrorIs(t, err, transport.ErrBadRequest)
	})
}

func TestArchive_Instant(t *testing.T) {
	a := newArchived(t, `"job":"feed",`, "job")
	for name, test := range map[string]struct {
		expr    string
		at      time.Time
		archive bool
	}{
		"present":            {`DCGM_FI_DEV_GPU_UTIL`, noon, false},
		"past":               {`DCGM_FI_DEV_GPU_UTIL`, noon.Add(-12 * day), true},
		"eight days":         {`max_over_time(DCGM_FI_DEV_GPU_UTIL[8d])`, noon, true},
		"a range vector":     {`DCGM_FI_DEV_GPU_UTIL[8d]`, noon, true},
		"of a past fixed at": {`DCGM_FI_DEV_GPU_UTIL @ 1747800000`, noon, true},
	} {
		t.Run(name, func(t *testing.T) {
			before := a.archive.count()
			result, err := a.Evaluate(t.Context(), promql.New(test.expr).At(test.at))
			require.NoError(t, err)
			require.Equal(t, test.archive, a.archive.count() > before)
			for _, frame := range result.Matrix.Frames(plain, nil) {
				require.NotContains(t, frame.Fields[1].Labels, "job")
			}
		})
	}
}

// Tables and bars have the order of the engine, also where the archive's labels are dropped.
func TestArchive_InstantOrder(t *testing.T) {
	a := newArchived(t, `"job":"feed",`, "job")
	result, err := a.Evaluate(t.Context(), promql.New(`sort_desc(avg_over_time(DCGM_FI_DEV_GPU_UTIL[8d]))`).At(noon))
	require.NoError(t, err)
	var values []float64
	for _, s := range result.Matrix.Series {
		require.NotContains(t, s.Labels, "job")
		values = append(values, s.Values...)
	}
	require.Greater(t, len(values), 1)
	require.IsNonIncreasing(t, values)
}

func rangeOf(expr string, span time.Duration) url.Values {
	return url.Values{"query": {expr}, "start": {noon.Add(-span).Format(time.RFC3339)}, "end": {noon.Format(time.RFC3339)}, "step": {"1h"}}
}

func TestArchive_Resources(t *testing.T) {
	a := newArchived(t, `"job":"feed",`, "job")
	params := rangeOf(`DCGM_FI_DEV_GPU_UTIL`, 12*day)
	want, err := a.direct.QueryRange(t.Context(), params)
	require.NoError(t, err)
	got, err := a.QueryRange(t.Context(), params)
	require.NoError(t, err)
	require.JSONEq(t, dataOf(t, want), dataOf(t, got))
	require.NotEmpty(t, got.Infos)
}

func TestArchive_Lists(t *testing.T) {
	a := newArchived(t, "", "gpu")
	old := url.Values{"match[]": {`DCGM_FI_DEV_GPU_UTIL`}, "start": {noon.Add(-12 * day).Format(time.RFC3339)}, "end": {noon.Format(time.RFC3339)}}
	recent := url.Values{"match[]": {`DCGM_FI_DEV_GPU_UTIL`}, "start": {noon.Add(-day).Format(time.RFC3339)}, "end": {noon.Format(time.RFC3339)}}

	_, err := a.LabelNames(t.Context(), recent)
	require.NoError(t, err)
	require.Zero(t, a.archive.count(), "the platform has these")

	names, err := a.LabelNames(t.Context(), old)
	require.NoError(t, err)
	require.Contains(t, dataOf(t, names), `"gpu"`, "the platform's own label")
	require.Equal(t, 1, a.archive.count())
	values, err := a.LabelValues(t.Context(), "vm_name", old)
	require.NoError(t, err)
	direct, err := a.direct.LabelValues(t.Context(), "vm_name", old)
	require.NoError(t, err)
	require.JSONEq(t, dataOf(t, direct), dataOf(t, values))
	requests := a.archive.count()
	_, err = a.LabelValues(t.Context(), "gpu", old)
	require.NoError(t, err)
	require.Equal(t, requests, a.archive.count(), "the values of a dropped label are the platform's")
	series, err := a.Series(t.Context(), old)
	require.NoError(t, err)
	require.Equal(t, 6, strings.Count(dataOf(t, series), `"__name__"`), "three with gpu, and three of the archive without")

	a.archive.status.Store(http.StatusBadGateway)
	a.ClearCache()
	values, err = a.LabelValues(t.Context(), "vm_name", old)
	require.NoError(t, err)
	require.JSONEq(t, dataOf(t, direct), dataOf(t, values))
	require.True(t, slices.ContainsFunc(values.Warnings, func(text string) bool { return strings.HasSuffix(text, "The list is incomplete.") }))
	a.archive.status.Store(0)
	a.platform.status.Store(http.StatusBadGateway)
	a.ClearCache()
	values, err = a.LabelValues(t.Context(), "vm_name", old)
	require.NoError(t, err)
	require.NotEmpty(t, values.Warnings)
	values, err = a.LabelValues(t.Context(), "no_such_label", old)
	require.NoError(t, err)
	require.JSONEq(t, "[]", dataOf(t, values))
}

// A side that hangs is not waited for where the other one rejects the query.
func TestArchive_RejectionCancelsTheOtherSide(t *testing.T) {
	clock := newClock()
	hangs := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	rejects := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"status":"error","errorType":"bad_data","error":"no such function"}`)
	})
	for name, sides := range map[string][2]http.Handler{"the archive": {rejects, hangs}, "the platform": {hangs, rejects}} {
		t.Run(name, func(t *testing.T) {
			config := prom.Config{Transport: newTransport(t), Base: serve(t, sides[1]), Now: clock.now, Cache: cached, Retention: 7 * day}
			config.Archive = &prom.Archive{Transport: newTransport(t), Base: serve(t, sides[0])}
			client := prom.New(config)
			t.Cleanup(client.Close)
			_, err := client.QueryData(t.Context(), dataQuery(t, hourly(`up`), noon, 12*day), false)
			require.ErrorIs(t, err, transport.ErrBadRequest)
			require.ErrorContains(t, err, "no such function")
			_, err = client.LabelNames(t.Context(), url.Values{"start": {noon.Add(-12 * day).Format(time.RFC3339)}})
			require.ErrorContains(t, err, "no such function")
		})
	}
}

// A backfill adds samples of the past, also where the archive had none before.
func TestArchive_Backfill(t *testing.T) {
	clock := newClock()
	var filled atomic.Bool
	var requests atomic.Int32
	address := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		kind, value := "matrix", `"values":[[1748736000,"1"]]`
		if !strings.HasSuffix(r.URL.Path, "query_range") {
			kind, value = "vector", `"value":[1748736000,"1"]`
		}
		series := ""
		if filled.Load() {
			series = `{"metric":{"a":"b"},` + value + `}`
		}
		_, _ = io.WriteString(w, `{"status":"success","data":{"resultType":"`+kind+`","result":[`+series+`]}}`)
	}))
	archive := prom.New(prom.Config{
		Transport: newTransport(t), Base: address, Now: clock.now, Cache: cached, Retention: day,
		Archive: &prom.Archive{Transport: newTransport(t), Base: address},
	})
	t.Cleanup(archive.Close)
	ask := func() (ranged, instant bool) {
		envelope, err := archive.QueryRange(t.Context(), url.Values{"query": {"up"}, "start": {"1748736000"}, "end": {"1748739600"}, "step": {"60"}})
		require.NoError(t, err)
		ranged = strings.Contains(dataOf(t, envelope), `"a":"b"`)
		envelope, err = archive.Query(t.Context(), url.Values{"query": {"up"}, "time": {"1748736000"}})
		require.NoError(t, err)
		return ranged, strings.Contains(dataOf(t, envelope), `"a":"b"`)
	}
	ranged, instant := ask()
	require.False(t, ranged || instant)
	filled.Store(true)
	sent := requests.Load()
	clock.advance(23 * time.Hour)
	ranged, instant = ask()
	require.False(t, ranged, "these steps are in the cache")
	require.True(t, instant, "a point is for a minute")
	require.Equal(t, sent+1, requests.Load())
	clock.advance(time.Hour)
	ranged, _ = ask()
	require.True(t, ranged)
}

// Lists are as large as results may be, and are decoded while they arrive.
func TestLists_Bounds(t *testing.T) {
	names := `"` + strings.Repeat(`a","`, 500_000) + `a"`
	sets := strings.Repeat(`{"a":"b"},`, 3) + `{}`
	address := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		list := names
		if strings.HasSuffix(r.URL.Path, "/series") {
			list = sets
		}
		_, _ = io.WriteString(w, `{"status":"success","data":[`+list+`]}`)
	}))
	client := prom.New(prom.Config{Transport: newTransport(t), Base: address, Now: newClock().now, Limits: promql.Limits{Series: 3}})
	t.Cleanup(client.Close)
	_, err := client.Series(t.Context(), url.Values{"match[]": {"up"}})
	require.ErrorIs(t, err, transport.ErrTooLarge)
	require.ErrorContains(t, err, "The list has more than 3 entries, which is the limit.")
	_, err = client.LabelValues(t.Context(), "a", url.Values{})
	require.ErrorIs(t, err, transport.ErrTooLarge)
	require.ErrorContains(t, err, "The list has more than 500000 entries, which is the limit.")
}

// Settings of the archive that can't be used concern the queries that need it.
func TestArchive_Unusable(t *testing.T) {
	clock := newClock()
	client := prom.New(prom.Config{
		Transport: newTransport(t), Base: newPlatform(t, clock, platform.Config{Nodes: 1}), Now: clock.now, Cache: cached, Retention: 7 * day,
		Archive: &prom.Archive{Err: errors.New("The archive's address is wrong.")},
	})
	t.Cleanup(client.Close)
	_, err := client.QueryData(t.Context(), dataQuery(t, hourly(`up`), noon, day), true)
	require.NoError(t, err)
	_, err = client.QueryData(t.Context(), dataQuery(t, hourly(`up`), noon, 12*day), true)
	require.EqualError(t, err, "The archive's address is wrong.")
	got, err := client.QueryData(t.Context(), dataQuery(t, hourly(`up`), noon, 12*day), false)
	require.NoError(t, err)
	require.Equal(t, []string{"The archive's address is wrong. The steps before 2025-05-26 15:00 UTC are missing."}, notices(got))
	require.EqualError(t, client.CheckArchive(t.Context()), "The archive's address is wrong.")
	require.NoError(t, client.Check(t.Context()))
}

// Native histograms are joined as samples are, and served whole to programs.
func TestArchive_JoinsNativeHistograms(t *testing.T) {
	clock := newClock()
	address := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start, err := time.Parse(time.RFC3339, r.URL.Query().Get("start"))
		if err != nil {
			t.Error(err)
		}
		_, _ = io.WriteString(w, `{"status":"success","data":{"resultType":"matrix","result":[{"metric":{"a":"b"},"histograms":[`+histogramAt(start, 2)+`]}]}}`)
	}))
	client := prom.New(prom.Config{
		Transport: newTransport(t), Base: address, Now: clock.now, Cache: cached, Retention: 7 * day,
		Archive: &prom.Archive{Transport: newTransport(t), Base: address},
	})
	t.Cleanup(client.Close)
	frames, err := client.QueryData(t.Context(), dataQuery(t, hourly(`latency`), noon, 12*day), false)
	require.NoError(t, err)
	require.Len(t, frames, 1)
	older, newer := noon.Add(-12*day), noon.Add(-7*day+3*time.Hour)
	require.Equal(t, []any{older, older, newer, newer}, column(frames[0].Fields[0]))
	response, err := client.QueryRange(t.Context(), rangeOf(`latency`, 12*day))
	require.NoError(t, err)
	require.JSONEq(t, `{"resultType":"matrix","result":[{"metric":{"a":"b"},"histograms":[`+histogramAt(older, 2)+`,`+histogramAt(newer, 2)+`]}]}`, dataOf(t, response))
}

// The last step of these ranges is two hours before their end.
func TestArchive_PointAtTheEnd(t *testing.T) {
	to := noon.Add(2 * time.Hour)
	q := func(expr string) saved {
		return saved{"expr": expr, "range": true, "interval": "6h", "untilEnd": true}
	}
	t.Run("both are up", func(t *testing.T) {
		a := newArchived(t, "")
		_, err := a.query(t, q(`sum(DCGM_FI_DEV_GPU_UTIL)`), to, 12*day)
		require.NoError(t, err)
		require.Equal(t, 2, a.platform.count(), "the steps and the point")
		_, err = a.query(t, q(`max_over_time(DCGM_FI_DEV_GPU_UTIL[8d])`), to, day)
		require.NoError(t, err)
		require.Equal(t, 2, a.platform.count(), "the archive has the samples of the window")
	})
	t.Run("the platform is down", func(t *testing.T) {
		a := newArchived(t, "")
		a.platform.status.Store(http.StatusBadGateway)
		got, err := a.query(t, q(`sum(DCGM_FI_DEV_GPU_UTIL)`), to, 12*day)
		require.NoError(t, err)
		require.Equal(t, to.Add(-12*day-2*time.Hour), got[0].Fields[0].At(0))
		require.Contains(t, strings.Join(notices(got), "\n"), "The point at the end is missing.")
	})
	t.Run("a point that is refused", func(t *testing.T) {
		a := newArchived(t, "")
		_, err := a.query(t, q(`sum(DCGM_FI_DEV_GPU_UTIL)`), to, day)
		require.NoError(t, err)
		a.platform.status.Store(http.StatusBadRequest)
		_, err = a.query(t, q(`sum(DCGM_FI_DEV_GPU_UTIL)`), to.Add(10*time.Minute), day)
		require.ErrorIs(t, err, transport.ErrBadRequest)
	})
}

// The stages of both sources are distinguished, and lists are measured, too.
func TestArchive_StagesBySource(t *testing.T) {
	counts := func() map[string]uint64 {
		families, err := prometheus.DefaultGatherer.Gather()
		require.NoError(t, err)
		counts := map[string]uint64{}
		for _, family := range families {
			if family.GetName() != "gpucloud_promql_stage_duration_seconds" {
				continue
			}
			for _, m := range family.GetMetric() { // labels are in alphabetical order
				counts[m.GetLabel()[1].GetValue()+" "+m.GetLabel()[0].GetValue()] += m.GetHistogram().GetSampleCount()
			}
		}
		return counts
	}
	a := newArchived(t, "")
	before := counts()
	_, err := a.LabelNames(t.Context(), url.Values{"start": {noon.Add(-12 * day).Format(time.RFC3339)}})
	require.NoError(t, err)
	after := counts()
	for _, stage := range []string{"archive ", "cache platform", "cache archive", "endpoint platform", "endpoint archive"} {
		require.Equal(t, before[stage]+1, after[stage], stage)
	}
}

// plain names the values of a series.
func plain(*series.Series) (name string, display *string) { return "Value", nil }
