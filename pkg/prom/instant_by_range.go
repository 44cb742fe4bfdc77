package prom

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promjson"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// ignoresTime reports whether an endpoint would ignore the time of a query: the instant query at the base path is documented
// without one. It is used for queries about the current scrape interval, whose results the cache treats as equal.
func (c *Client) ignoresTime(e endpoint, params url.Values) bool {
	if e.path != "" {
		return false
	}
	at, err := time.Parse(time.RFC3339Nano, params.Get("time"))
	if err != nil {
		return false // the query has no time
	}
	now, interval := c.Now(), min(c.MinStep, maxReuse)
	return at.After(now) || !at.Truncate(interval).Equal(now.Truncate(interval))
}

// instantByRange sends an instant query as a range query of one step, whose time is documented. It returns the response to an
// instant query, but the order of its series is undefined, and only expressions of type vector or scalar have a result.
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

// vectorOf converts the response to a range query of one step into that to an instant query. It returns false for any other
// response.
func vectorOf(matrix []byte) ([]byte, bool) {
	type series struct {
		Metric json.RawMessage   `json:"metric"`
		Values []json.RawMessage `json:"values,omitempty"`
		Value  json.RawMessage   `json:"value,omitempty"`
	}
	var response map[string]json.RawMessage
	var data struct {
		ResultType string   `json:"resultType"`
		Result     []series `json:"result"`
	}
	if json.Unmarshal(matrix, &response) != nil || json.Unmarshal(response["data"], &data) != nil || data.ResultType != promjson.Matrix {
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
	if response["data"], err = json.Marshal(data); err != nil {
		return nil, false
	}
	vector, err := json.Marshal(response)
	return vector, err == nil
}
