package faults

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/backend/log"
	"go.uber.org/goleak"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/plugin"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
	"github.com/gpucloud/gpucloud-platform-datasource/tests/datasource"
	"github.com/gpucloud/gpucloud-platform-datasource/tests/logtest"
)

const projectID = "project-of-tests"

// healthy is the platform without faults. It is shared, because it takes long to make.
var healthy = sync.OnceValue(func() *platform.Platform {
	return platform.New(platform.Config{
		ProjectID: projectID, MonitoringToken: monitoringToken, InferenceAPIKey: inferenceAPIKey,
		AccessKeyID: accessKeyID, SecretKey: secretKey, Nodes: 2, Relative: true,
	})
})

// span is the hour of all queries. It is in the past, so that results don't change.
var span = func() backend.TimeRange {
	end := time.Now().Add(-2 * time.Hour).Truncate(time.Hour)
	return backend.TimeRange{From: end.Add(-time.Hour), To: end}
}()

// job is a finished job of the healthy platform, and checkpoint is one of its checkpoints.
var job, checkpoint = sync.OnceValue(func() string { return firstID("/fine_tuning/jobs?limit=1000", `"succeeded"`) }),
	sync.OnceValue(func() string { return firstID("/fine_tuning/jobs/"+job()+"/checkpoints", "") })

// firstID is the id of the first record, in the gateway's list at a path, that holds a text.
func firstID(path, holding string) string {
	request := httptest.NewRequest(http.MethodGet, platform.TuningPath+"/v1"+path, nil)
	request.Header.Set("Authorization", "Bearer "+inferenceAPIKey)
	response := httptest.NewRecorder()
	healthy().ServeHTTP(response, request)
	var list struct{ Data []json.RawMessage }
	if err := json.Unmarshal(response.Body.Bytes(), &list); err != nil {
		panic(fmt.Sprintf("%s: %s: %.200s", path, err, response.Body))
	}
	for _, raw := range list.Data {
		var record struct{ ID string }
		if json.Unmarshal(raw, &record) == nil && strings.Contains(string(raw), holding) {
			return record.ID
		}
	}
	panic("no record at " + path)
}

type values = map[string]any

// timeout is how long the data source waits for an response, in seconds: long enough for every retry.
const timeout = 12

// newDatasource makes a data source of all three services, all at the address, with short timeouts.
func newDatasource(t *testing.T, address string, changes values, moreSecrets map[string]string) *plugin.Datasource {
	t.Helper()
	settings := values{
		"baseUrl": address, "projectId": projectID, "intelligenceUrl": address + platform.TuningPath, "accessKeyId": accessKeyID,
		"timeout": timeout, "maxResponseMegabytes": 1, "httpHeaderName1": secretHeaderName,
	}
	maps.Copy(settings, changes)
	given := map[string]string{
		"monitoringToken": monitoringToken, "inferenceApiKey": inferenceAPIKey, "secretKey": secretKey, "httpHeaderValue1": secretHeader,
	}
	maps.Copy(given, moreSecrets)
	return datasource.New(t, settings, given)
}

// logger records the log of the backend, at all levels.
var logger, logged = logtest.New(log.Trace)

// TestMain replaces the SDK's logger with a recorder. It fails if a goroutine, and with it a connection, outlives the tests.
func TestMain(m *testing.M) {
	log.DefaultLogger, backend.Logger = logger, logger
	goleak.VerifyTestMain(m)
}
