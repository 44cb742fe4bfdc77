package jobs_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/jobs"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// FuzzResponses runs queries of each type on any response of the gateway. The result is frames that can be sent, or an error
// for users.
func FuzzResponses(f *testing.F) {
	for _, body := range []string{
		"", "null", "[]", "{}", `{"data":null}`, `{"data":[null,1,"x",{}]}`,
		`{"data":[{"id":"a","status":"running","created_at":1748865600}],"has_more":false}`,
		`{"data":[{"id":7,"status":"succeeded","created_at":"2025-06-02T12:00:00Z","finished_at":0,"error":{},"hyperparameters":{"n_epochs":"auto"}}],"has_more":true}`,
		`{"data":[{"id":"c","step_number":3,"created_at":1e300,"metrics":{"train_loss":"NaN","step":1,"valid_loss":0.5}}]}`,
		`{"data":[{"id":"e","created_at":-1,"level":"WARN","message":"job failed","type":"metrics","data":{"loss":1}}],"has_more":"yes"}`,
		`{"id":"a","status":"failed","created_at":1748865600,"finished_at":1748865500,"suffix":"<b>"}`,
		`{"metrics":[{"metric_name":"eval loss","data":[{"value":1,"step":2,"timestamp":1748865600}]}]}`,
		`{"metrics":[{"name":"loss","data":[{"value":NaN,"step":-Infinity}]}],"data":[{"id":NaN,"metrics":{"loss":Infinity}}]}`,
		"{\"data\":[{\"id\":\"\xff\",\"model\":\"\xfe\"}]}",
	} {
		f.Add([]byte(body))
	}
	var respond atomic.Pointer[[]byte]
	g := &gateway{handle: func(w http.ResponseWriter, _ *http.Request) bool {
		_, _ = w.Write(*respond.Load())
		return true
	}}
	address := g.start(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		respond.Store(&body)
		client := newClientAt(t, address)
		defer client.Close()
		for _, queryType := range jobs.QueryTypes() {
			for _, saved := range []string{`{}`, `{"jobIds":["a"],"onlyInRange":false,"format":"timeline","show":["jobs","checkpoints"]}`} {
				if queryType != "fineTuningJobs" && saved == "{}" && len(body) > 1<<16 {
					continue
				}
				sendable(t, client, queryType, saved)
			}
		}
	})
}

// FuzzQuery runs any saved query.
func FuzzQuery(f *testing.F) {
	for _, saved := range []string{
		"", "null", "[]", "{}", `{"statuses":"running"}`, `{"jobIds":["{a,b}"]}`, `{"jobIds":["..","/",""]}`, `{"models":["$__all"]}`, `{"statuses":[1]}`,
		`{"format":"timeline"}`, `{"xAxis":"time","metrics":["x"]}`, `{"show":["jobs"]}`, `{"onlyInRange":"no"}`, `{"levels":[" "]}`, `{"purposes":{}}`,
	} {
		f.Add(saved, int64(0), int64(3600))
	}
	g := &gateway{jobs: []any{object{"id": "a", "status": "running", "created_at": ago(time.Hour)}}}
	address := g.start(f)
	client := newClientAt(f, address)
	f.Cleanup(client.Close)
	f.Fuzz(func(t *testing.T, saved string, from, to int64) {
		for _, queryType := range jobs.QueryTypes() {
			frames, err := queryData(client, t.Context(), queryType, backend.DataQuery{RefID: "A", JSON: []byte(saved), TimeRange: backend.TimeRange{
				From: time.Unix(from%1e10, 0), To: time.Unix(to%1e10, 0),
			}}, false)
			forUsers(t, err)
			if err == nil {
				_, err = json.Marshal(frames)
				require.NoError(t, err)
			}
		}
	})
}

// sendable runs a query over the day before noon.
func sendable(t *testing.T, client *jobs.Client, queryType, saved string) {
	t.Helper()
	frames, err := queryData(client, t.Context(), queryType, backend.DataQuery{RefID: "A", JSON: []byte(saved), TimeRange: backend.TimeRange{
		From: noon.Add(-24 * time.Hour), To: noon,
	}}, false)
	forUsers(t, err)
	if err != nil {
		return
	}
	require.NotEmpty(t, frames)
	_, err = frames.MarshalArrow()
	require.NoError(t, err)
	_, err = json.Marshal(frames)
	require.NoError(t, err)
}

// forUsers checks that an error is of a type with a message for users, in UTF-8 as gRPC needs it.
func forUsers(t *testing.T, err error) {
	t.Helper()
	var platform *transport.Error
	var written *query.Error
	if err == nil {
		return
	}
	require.True(t, errors.As(err, &platform) || errors.As(err, &written), "%T: %v", err, err)
	require.True(t, utf8.ValidString(err.Error()), "%q", err)
}
