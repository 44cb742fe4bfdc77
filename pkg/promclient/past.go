package promclient

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/promclient/promjson"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// lacksTime reports whether an operation can't be called in a way, because the time of the query would have no effect: the
// instant query at the base path is documented without a time. It serves for queries about the current collection interval, by
// the rule that the cache has for them.
func (c *Client) lacksTime(w way, params url.Values) bool {
	if w.path != "" {
		return false
	}
	at, err := time.Parse(time.RFC3339Nano, params.Get("time"))
	if err != nil {
		return false // there is no time
	}
	now, interval := c.Now(), min(c.MinStep, maxSharing)
	return at.After(now) || !at.Truncate(interval).Equal(now.Truncate(interval))
}

// instantByRange sends an instant query as a range query of one step, which is documented with times. The response is that of
// an instant query, but its series are in no particular order, and only vectors and scalars have one.
func (c *Client) instantByRange(ctx context.Context, params url.Values) (*http.Response, error) {
	ranged := url.Values{"start": params["time"], "end": params["time"], "step": {formatDuration(c.MinStep)}}
	for _, name := range []string{"query", "timeout", limitParam} {
		if params.Has(name) {
			ranged[name] = params[name]
		}
	}
	resp, err := c.call(ctx, c.rangeQuery, ranged, "")
	if err != nil {
		return nil, err
	}
	body, err := transport.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if err != nil {
		return nil, err
	}
	if vector, ok := vectorOf(body); ok {
		body = vector
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, nil
}

// vectorOf turns the response of a range query of one step into that of an instant query; false if it is another response.
func vectorOf(matrix []byte) ([]byte, bool) {
	type series struct {
		Metric json.RawMessage   `json:"metric"`
		Values []json.RawMessage `json:"values,omitempty"`
		Value  json.RawMessage   `json:"value,omitempty"`
	}
	var answer map[string]json.RawMessage
	var data struct {
		ResultType string   `json:"resultType"`
		Result     []series `json:"result"`
	}
	if json.Unmarshal(matrix, &answer) != nil || json.Unmarshal(answer["data"], &data) != nil || data.ResultType != promjson.Matrix {
		return nil, false
	}
	data.ResultType = promjson.Vector
	for i, s := range data.Result {
		if len(s.Values) != 1 {
			return nil, false
		}
		data.Result[i].Value, data.Result[i].Values = s.Values[0], nil
	}
	var err error
	if answer["data"], err = json.Marshal(data); err != nil {
		return nil, false
	}
	vector, err := json.Marshal(answer)
	return vector, err == nil
}
