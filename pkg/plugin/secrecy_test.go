package plugin_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/backend/log"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// journal is a log.Logger that keeps what it is told.
type journal struct {
	mu    sync.Mutex
	lines strings.Builder
}

func (j *journal) write(msg string, args []any) {
	j.mu.Lock()
	defer j.mu.Unlock()
	_, _ = fmt.Fprintln(&j.lines, msg, args)
}

func (j *journal) Debug(msg string, args ...any)          { j.write(msg, args) }
func (j *journal) Info(msg string, args ...any)           { j.write(msg, args) }
func (j *journal) Warn(msg string, args ...any)           { j.write(msg, args) }
func (j *journal) Error(msg string, args ...any)          { j.write(msg, args) }
func (j *journal) With(args ...any) log.Logger            { j.write("", args); return j }
func (j *journal) FromContext(context.Context) log.Logger { return j }
func (j *journal) Level() log.Level                       { return log.Debug }

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.lines.String()
}

// captureLog puts a journal in the place of the SDK's logger.
func captureLog(t *testing.T) *journal {
	t.Helper()
	before, j := log.DefaultLogger, &journal{}
	log.DefaultLogger = j
	t.Cleanup(func() { log.DefaultLogger = before })
	return j
}

// echoes are bodies of a server that tells what it was sent: said is the Authorization value or a part of it.
var echoes = map[string]func(said string) string{
	"the platform's error": func(said string) string { return encode(values{"code": "bad", "message": "got " + said + "."}) },
	"its reason":           func(said string) string { return encode(values{"reason": said}) },
	"Prometheus' error":    func(said string) string { return encode(values{"status": "error", "errorType": "bad", "error": said}) },
	"the gateway's error":  func(said string) string { return encode(values{"error": values{"message": "<" + said + ">"}}) },
	"items": func(said string) string {
		return encode(values{"items": []values{{"type": said, "location": "a", "quantity": 1}}})
	},
	"names of members": func(said string) string { return encode(values{"items": []values{{said: 1}}}) },
	"items of other types": func(said string) string {
		return encode(values{"items": []any{values{"type": said}, values{"type": 1}}})
	},
	"the token of a page":    func(said string) string { return encode(values{"items": []any{}, "next_token": said}) },
	"text":                   func(said string) string { return "Authorization: " + said },
	"JSON that is cut":       func(said string) string { return `{"message":"` + said + `","items":[` },
	"a single value":         func(said string) string { return encode(values{"items": said}) },
	"long words before it":   func(said string) string { return encode(values{"message": strings.Repeat("x", 480) + said}) },
	"escaped in its letters": func(said string) string { return strings.ReplaceAll(encode(values{"message": said}), "-", `\u002d`) },
}

func encode(v any) string {
	encoded, _ := json.Marshal(v)
	return string(encoded)
}

func TestSecretLeak_MainAPI(t *testing.T) {
	logged := captureLog(t)
	var mu sync.Mutex
	var answer func(said string) (status int, body string)
	var part func(authorization, secret string) string
	var secret string
	var forbidden []string
	address := serveFunc(t, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		authorization := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		signature := authorization[strings.LastIndex(authorization, ":")+1:]
		forbidden = append(forbidden, signature, authorization)
		status, body := answer(part(r.Header.Get("Authorization"), secret))
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("X-Echo", authorization)
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	})
	parts := map[string]func(authorization, secret string) string{
		"the value":      func(authorization, _ string) string { return authorization },
		"without Bearer": func(authorization, _ string) string { return strings.TrimPrefix(authorization, "Bearer ") },
		"the signature":  func(authorization, _ string) string { return authorization[strings.LastIndex(authorization, ":")+1:] },
		"the secret":     func(_, secret string) string { return secret },
		"all of it":      func(authorization, secret string) string { return authorization + " " + secret + "\n" + authorization },
	}
	word := rapid.StringMatching(`[A-Za-z0-9_.-]{1,12}`)
	rapid.Check(t, func(rt *rapid.T) {
		mu.Lock()
		secret = base64.RawURLEncoding.EncodeToString(rapid.SliceOfN(rapid.Byte(), 16, 48).Draw(rt, "secret"))
		forbidden = []string{secret}
		part = parts[rapid.SampledFrom(slices.Sorted(maps.Keys(parts))).Draw(rt, "part")]
		echo := echoes[rapid.SampledFrom(slices.Sorted(maps.Keys(echoes))).Draw(rt, "echo")]
		// Not those that are tried again: that would only take time.
		status := rapid.SampledFrom([]int{200, 400, 401, 403, 404, 409, 422, 500, 501}).Draw(rt, "status")
		answer = func(said string) (int, string) { return status, echo(said) }
		mu.Unlock()

		ds := newDatasourceWith(t, address, values{"accessKeyId": word.Draw(rt, "access key id")}, map[string]string{"secretKey": secret})
		defer ds.Dispose()
		var params []values
		for name, value := range rapid.MapOfN(word, rapid.String(), 0, 3).Draw(rt, "params") {
			params = append(params, values{"name": name, "value": value})
		}
		response, err := ds.QueryData(t.Context(), &backend.QueryDataRequest{Queries: []backend.DataQuery{
			dataQuery(t, "table", values{"queryType": "capacities", "productNames": rapid.SliceOf(rapid.String()).Draw(rt, "products")}),
			dataQuery(t, "numbers", values{"queryType": "capacities", "format": "number"}),
			dataQuery(t, "list", values{"queryType": "platform", "path": "/v1/" + word.Draw(rt, "path"), "params": params}),
			dataQuery(t, "series", values{"queryType": "platform", "path": "/v1/x", "timeColumn": "type"}),
		}})
		require.NoError(rt, err)
		checked, err := ds.CheckHealth(t.Context(), &backend.CheckHealthRequest{})
		require.NoError(rt, err)

		told := []string{checked.Message, string(checked.JSONDetails), logged.String()}
		for _, one := range response.Responses {
			if one.Error != nil {
				told = append(told, one.Error.Error())
			}
			told = append(told, encode(one.Frames))
		}
		mu.Lock()
		defer mu.Unlock()
		require.GreaterOrEqual(rt, len(forbidden), 3, "something was asked")
		for _, text := range told {
			for _, credential := range forbidden {
				require.NotContains(rt, text, credential)
			}
		}
	})
}
