//go:build grafana

package scenes

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/stretchr/testify/require"
)

// StartOfScene is when a scene begins whose evaluation ends now, to the minute. That of PromQL may end some minutes before, because the steps of
// its subqueries are multiples of seven minutes.
func (e *Evaluation) StartOfScene(now time.Time) time.Time {
	step := 7 * time.Minute
	if strings.Contains(e.saved, `"queryType"`) {
		step = time.Minute
	}
	begin := now.Add(e.start.Sub(e.to))
	return begin.Add(-begin.Sub(Start) % step)
}

// ToTheSecond reports that the result depends on when the plugin's clock stands, to the second: that of a query about jobs or runs, which are
// measured until now.
func (e *Evaluation) ToTheSecond() bool { return untilNow.MatchString(e.saved) }

var untilNow = regexp.MustCompile(`"queryType": *"(runs|runComparison|fineTuningJobs)"`)

// RunInGrafana compares the result of an evaluation that ends now with what is expected, through the Grafana at an address, which runs on
// this machine. An administrator signs in as "admin" with the password "admin".
func (s *Scene) RunInGrafana(t *testing.T, e *Evaluation, grafana string) {
	t.Helper()
	client := http.Client{Timeout: time.Minute}
	call := func(method, path string, body, result any) {
		t.Helper()
		encoded, err := json.Marshal(body)
		require.NoError(t, err)
		request, err := http.NewRequestWithContext(t.Context(), method, grafana+path, bytes.NewReader(encoded))
		require.NoError(t, err)
		request.SetBasicAuth("admin", "admin")
		request.Header.Set("Content-Type", "application/json")
		response, err := client.Do(request)
		require.NoError(t, err)
		defer func() { _ = response.Body.Close() }()
		text, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(text, result), "%s", text)
	}

	jsonData, secrets := s.platform(t, e, nil)
	var created struct{ Datasource struct{ UID string } }
	call(http.MethodPost, "/api/datasources", map[string]any{
		"name": fmt.Sprintf("Scene, %d", time.Now().UnixNano()), "type": "gpucloud-platform-datasource", "access": "proxy", "jsonData": jsonData, "secureJsonData": secrets,
	}, &created)
	uid := created.Datasource.UID
	require.NotEmpty(t, uid)
	defer call(http.MethodDelete, "/api/datasources/uid/"+uid, nil, &struct{}{})

	var queries []map[string]any
	for _, q := range e.dataQueries(t, s) {
		saved := map[string]any{}
		require.NoError(t, json.Unmarshal(q.JSON, &saved))
		saved["refId"], saved["datasource"] = q.RefID, map[string]any{"uid": uid}
		saved["maxDataPoints"], saved["intervalMs"] = q.MaxDataPoints, q.Interval.Milliseconds()
		queries = append(queries, saved)
	}
	var responses backend.QueryDataResponse
	unixMilli := func(at time.Time) string { return strconv.FormatInt(at.UnixMilli(), 10) }
	call(http.MethodPost, "/api/ds/query", map[string]any{"queries": queries, "from": unixMilli(e.from), "to": unixMilli(e.to)}, &responses)
	require.NotEmpty(t, responses.Responses)
	e.compare(t, joined(&responses))
}
