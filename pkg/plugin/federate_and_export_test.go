package plugin_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/textparse"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/plugin"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

func feed(t *testing.T, ds *plugin.Datasource, path string, params url.Values, accept string) (status int, body string) {
	t.Helper()
	editor := backend.PluginContext{User: &backend.User{Role: "Editor"}}
	return resource(t, ds, &backend.CallResourceRequest{PluginContext: editor, Path: path, URL: path + "?" + params.Encode(), Headers: map[string][]string{"Accept": {accept}}})
}

func TestFederate_Format(t *testing.T) {
	_, address := newPlatformWith(t, platform.Config{Now: time.Now})
	ds := newDatasource(t, address, nil)
	params := url.Values{"match[]": {`DCGM_FI_DEV_POWER_USAGE{gpu="0"}`, `vendor_vm_cpu_seconds_total{mode="idle"}`, `DCGM_FI_DEV_PCIE_REPLAY_COUNTER{gpu="0"}`, `vendor_vm_disk_read_latency_seconds_bucket{le="1"}`}}

	status, body := feed(t, ds, "federate", params, "text/plain")
	require.Equal(t, http.StatusOK, status)
	require.Regexp(t, `(?m)^DCGM_FI_DEV_POWER_USAGE\{.*\} [0-9.]+ [0-9]{13}$`, body)
	require.Contains(t, boundsOfBuckets(t, body), "1", "by the type of a histogram Prometheus 3 would make 1.0 of it")
	require.True(t, strings.HasSuffix(body, "\n# EOF\n"))

	status, same := feed(t, ds, "federate", params, "application/openmetrics-text;version=1.0.0,text/plain;q=0.5")
	require.Equal(t, http.StatusOK, status)
	require.Regexp(t, `(?m)^DCGM_FI_DEV_POWER_USAGE\{.*\} [0-9.]+ [0-9]{13}$`, same, "the same format for all")
}

// boundsOfBuckets are the values of le that Prometheus stores.
func boundsOfBuckets(t *testing.T, body string) (bounds []string) {
	t.Helper()
	parser := textparse.NewPromParser([]byte(body), labels.NewSymbolTable(), false)
	for {
		entry, err := parser.Next()
		if errors.Is(err, io.EOF) {
			return bounds
		}
		require.NoError(t, err)
		if entry == textparse.EntrySeries {
			var series labels.Labels
			parser.Labels(&series)
			bounds = append(bounds, series.Get(labels.BucketLabel))
		}
	}
}

func TestFeeds_Errors(t *testing.T) {
	t.Parallel()
	ago := func(d time.Duration) []string { return []string{time.Now().Add(-d).Format(time.RFC3339)} }
	day := url.Values{"start": ago(25 * time.Hour), "end": ago(time.Hour)}
	everything := url.Values{"match[]": {`{__name__!=""}`}}
	join := func(all ...url.Values) url.Values {
		joined := url.Values{}
		for _, one := range all {
			for name, list := range one {
				joined[name] = list
			}
		}
		return joined
	}
	for name, test := range map[string]struct {
		path   string
		params url.Values
		fault  *platform.Fault
		status int
		want   string
	}{
		"no selector":                {"federate", nil, nil, 400, `"match[]": at least one selector is needed`},
		"a blank selector":           {"federate", url.Values{"match[]": {""}}, nil, 400, `"match[]": at least one selector is needed`},
		"an expression":              {"federate", url.Values{"match[]": {"sum(up)"}}, nil, 400, `"match[]"`},
		"an offset":                  {"export", join(day, url.Values{"match[]": {"DCGM_FI_DEV_GPU_UTIL offset 1h"}}), nil, 400, `"match[]"`},
		"no start":                   {"export", url.Values{"match[]": {"up"}, "end": ago(0)}, nil, 400, `"start": it is missing`},
		"no time":                    {"export", join(day, url.Values{"match[]": {"up"}, "start": {"yesterday"}}), nil, 400, `"start": neither Unix seconds nor`},
		"an end before the start":    {"export", join(day, url.Values{"match[]": {"up"}, "end": ago(26 * time.Hour)}), nil, 400, `"start": it is after the end`},
		"a step of 0":                {"export", join(day, url.Values{"match[]": {"up"}, "step": {"0"}}), nil, 400, `"step": it is shorter than a millisecond`},
		"a step of almost 0":         {"export", join(day, url.Values{"match[]": {"up"}, "step": {"0.0009"}}), nil, 400, `"step": it is shorter than a millisecond`},
		"everything of a month":      {"export", join(day, everything, url.Values{"start": ago(29 * 24 * time.Hour)}), nil, 400, "million samples in this time, "},
		"a millisecond of centuries": {"export", join(day, url.Values{"match[]": {`{__name__!=""}`}, "start": {"1700-01-01T00:00:00Z"}, "step": {"1ms"}}), nil, 400, "million samples in this time, "},
		"older than the retention":   {"export", join(day, url.Values{"match[]": {"up"}, "start": {"0001-01-01T00:00:00Z"}, "end": {"2024-01-01T00:00:00Z"}}), nil, 400, "and the platform stores no older samples"},
		"a hundred selectors":        {"export", join(day, url.Values{"match[]": selectors(100), "start": {"0001-01-01T00:00:00Z"}, "step": {"300"}}), nil, 400, "requests, and the limit is 3000"},
		"an outage":                  {"federate", everything, &platform.Fault{Status: 500}, 500, "failed (500)"},
		"a refused token":            {"export", join(day, everything), &platform.Fault{Status: 401}, 502, "monitoring token"},
		"a cut response":             {"federate", everything, &platform.Fault{Kind: platform.FaultCutBody}, 502, "sent an incomplete response"},
		"a limit of the platform":    {"federate", everything, &platform.Fault{Status: 429, Headers: map[string]string{"Retry-After": "3600"}}, 429, "rate"},
		"a web page is no success":   {"federate", everything, &platform.Fault{Kind: platform.FaultHTML, Status: 200}, 502, "web page"},
	} {
		t.Run(name, func(t *testing.T) {
			p, address := newPlatformWith(t, platform.Config{Now: time.Now})
			if test.fault != nil {
				p.Inject(*test.fault)
			}
			status, body := feed(t, newDatasource(t, address, nil), test.path, test.params, "")
			require.Equal(t, test.status, status, body)
			var response struct{ Status, Error string }
			require.NoError(t, json.Unmarshal([]byte(body), &response), body)
			require.Equal(t, "error", response.Status)
			require.Contains(t, response.Error, test.want)
		})
	}
}

// Whatever a platform responds to a count of series, the response is one, or an error that says so.
func TestFeeds_CountsThatAreNone(t *testing.T) {
	now := time.Now()
	span := url.Values{"match[]": {"up"}, "start": {fmt.Sprint(now.Unix() - 3600)}, "end": {fmt.Sprint(now.Unix())}}
	for _, count := range []string{`"value":[1,"0"]`, `"value":[1,"-5"]`, `"value":[1,"NaN"]`, `"value":[1,"1e300"]`, `"value":[1,"+Inf"]`, `"histogram":[1,{"count":"1","sum":"1"}]`} {
		address := serveFunc(t, func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, resultOf("vector", `{"metric":{"__name__":"up"},`+count+`}`))
		})
		for _, path := range []string{"federate", "export"} {
			status, body := feed(t, newDatasource(t, address, nil), path, span, "")
			require.Equal(t, http.StatusBadGateway, status, count)
			require.Contains(t, body, "sent something other than counts of series.", count)
		}
	}
}

// selectors are so many different ones of the same series.
func selectors(n int) (all []string) {
	for i := range n {
		all = append(all, fmt.Sprintf(`DCGM_FI_DEV_GPU_UTIL{gpu="0",Hostname!="%d"}`, i))
	}
	return all
}

// A federation of many series takes two requests for each selector and batch.
func TestFederate_RequestsAreBounded(t *testing.T) {
	var requests atomic.Int32
	address := serveFunc(t, func(w http.ResponseWriter, _ *http.Request) {
		requests.Add(1)
		var counts []string
		for i := range 25 {
			counts = append(counts, fmt.Sprintf(`{"metric":{"__name__":"m%d"},"value":[1748865600,"750"]}`, i))
		}
		_, _ = fmt.Fprintf(w, `{"status":"success","data":{"resultType":"vector","result":[%s]}}`, strings.Join(counts, ","))
	})
	status, body := feed(t, newDatasource(t, address, nil), "federate", url.Values{"match[]": selectors(20)}, "")
	require.Equal(t, 400, status, body)
	require.Contains(t, body, "requests, and the limit is 600")
	require.LessOrEqual(t, requests.Load(), int32(20))
}

func TestExport_BeginsWithTheRetention(t *testing.T) {
	var queries atomic.Int32
	p := platform.New(platform.Config{Nodes: 1, GPUsPerNode: 1, Now: time.Now})
	address := serveFunc(t, func(w http.ResponseWriter, r *http.Request) {
		queries.Add(1)
		p.ServeHTTP(w, r)
	})
	ds := newDatasource(t, address, nil)
	status, body := feed(t, ds, "export", url.Values{"match[]": {"DCGM_FI_DEV_GPU_UTIL"}, "start": {"0001-01-01T00:00:00Z"}, "end": {"9000-01-01T00:00:00Z"}, "step": {"310"}}, "")
	require.Equal(t, http.StatusOK, status)
	require.Greater(t, strings.Count(body, "\n"), 8000, "thirty days")
	require.Less(t, queries.Load(), int32(10))
}

func TestFeeds_UnderWay(t *testing.T) {
	release := make(chan struct{})
	waiting := make(chan struct{}, 10)
	address := serveFunc(t, func(w http.ResponseWriter, _ *http.Request) {
		waiting <- struct{}{}
		<-release
		http.Error(w, "no", http.StatusBadRequest)
	})
	ds := newDatasource(t, address, nil)
	var group sync.WaitGroup
	for i := range 2 { // of other series each: what is the same is requested once
		group.Go(func() { feed(t, ds, "federate", url.Values{"match[]": {fmt.Sprint("up", i)}}, "") })
	}
	for range 2 {
		<-waiting
	}
	status, body := feed(t, ds, "federate", url.Values{"match[]": {"up"}}, "")
	require.Equal(t, http.StatusTooManyRequests, status)
	require.Contains(t, body, "are under way")
	close(release)
	group.Wait()
}

// What breaks after the first samples were sent breaks the response: it is no shorter list.
func TestFeeds_Broken(t *testing.T) {
	t.Parallel()
	p := platform.New(platform.Config{Now: time.Now})
	var sent atomic.Int32
	address := serveFunc(t, func(w http.ResponseWriter, r *http.Request) {
		if sent.Add(1) > 7 {
			http.Error(w, "down", http.StatusInternalServerError)
			return
		}
		p.ServeHTTP(w, r)
	})
	ds := newDatasource(t, address, nil)
	params := url.Values{"match[]": {`{__name__=~"DCGM_FI_DEV_.+"}`}, "start": {time.Now().Add(-6 * time.Hour).Format(time.RFC3339)}, "end": {time.Now().Format(time.RFC3339)}}
	editor := backend.PluginContext{User: &backend.User{Role: "Editor"}}
	err := ds.CallResource(t.Context(), &backend.CallResourceRequest{PluginContext: editor, Method: http.MethodGet, Path: "export", URL: "export?" + params.Encode()},
		backend.CallResourceResponseSenderFunc(func(*backend.CallResourceResponse) error { return nil }))
	require.ErrorContains(t, err, "broke off")
}

// The last part of an export may have no multiple of the step.
func TestExport_PartWithoutStep(t *testing.T) {
	_, address := newPlatformWith(t, platform.Config{Now: time.Now})
	ds := newDatasource(t, address, nil)
	minute := time.Now().Add(-time.Hour).Truncate(time.Minute)
	params := url.Values{"match[]": {`DCGM_FI_DEV_GPU_UTIL{gpu="0"}`}, "start": {minute.Add(10 * time.Second).Format(time.RFC3339)}, "step": {"60"}}
	for end, samples := range map[time.Duration]bool{50 * time.Second: false, 100 * time.Second: true} {
		params.Set("end", minute.Add(end).Format(time.RFC3339))
		status, body := feed(t, ds, "export", params, "")
		require.Equal(t, http.StatusOK, status, body)
		require.Equal(t, samples, strings.Contains(body, "DCGM_FI_DEV_GPU_UTIL{"), body)
		require.True(t, strings.HasSuffix(body, "# EOF\n"))
	}
}

// A part has no more points than Prometheus returns.
func TestExport_ShortStep(t *testing.T) {
	_, address := newPlatformWith(t, platform.Config{Nodes: 1, GPUsPerNode: 1, Now: time.Now})
	minute := time.Now().Add(-time.Hour).Truncate(time.Minute)
	params := url.Values{"match[]": {`DCGM_FI_DEV_GPU_UTIL{gpu="0"}`}, "start": {minute.Format(time.RFC3339)}, "end": {minute.Add(5 * time.Minute).Format(time.RFC3339)}, "step": {"0.02"}}
	status, body := feed(t, newDatasource(t, address, nil), "export", params, "")
	require.Equal(t, http.StatusOK, status, body[:min(len(body), 200)])
	require.Equal(t, 5*60*50+1, strings.Count(body, "DCGM_FI_DEV_GPU_UTIL{"))
}
