package routes

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/backend/gtime"
)

// Grafana's defaults for a query that names neither.
const (
	defaultMaxDataPoints = 100
	defaultInterval      = time.Second
)

// forwardedHeaders are passed on with a query, as Grafana does, so that a backend which leaks them can be caught.
var forwardedHeaders = []string{
	"X-Datasource-Uid", "X-Plugin-Id", "X-Dashboard-Uid", "X-Panel-Id", "X-Query-Group-Id", "X-Grafana-From-Expr",
}

type queryBody struct {
	From    string            `json:"from"`
	To      string            `json:"to"`
	Queries []json.RawMessage `json:"queries"`
}

// queryFields are the parts of a query that Grafana itself reads; the rest belongs to the plugin.
type queryFields struct {
	RefID         string `json:"refId"`
	QueryType     string `json:"queryType"`
	MaxDataPoints int64  `json:"maxDataPoints"`
	// IntervalMS may carry a fraction.
	IntervalMS float64         `json:"intervalMs"`
	TimeRange  *queryTimeRange `json:"timeRange"`
	DataSource struct {
		UID string `json:"uid"`
	} `json:"datasource"`
}

type queryTimeRange struct {
	From string `json:"from"`
	To   string `json:"to"`
}

var errOtherDataSource = errors.New("data source not found")

// query runs the queries of a panel. The response is 200, or 400 when any query failed; each result carries
// its own status either way.
func (s *server) query(w http.ResponseWriter, r *http.Request) {
	var body queryBody
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		writeError(w, http.StatusBadRequest, "bad request data")
		return
	}
	request, err := s.queryRequest(body, r.Header)
	switch {
	case errors.Is(err, errOtherDataSource):
		writeError(w, http.StatusNotFound, "Data source not found")
		return
	case err != nil:
		writeError(w, http.StatusBadRequest, err.Error())
		return
	}
	clients, err := s.Backend.Clients()
	if err != nil {
		writeError(w, http.StatusServiceUnavailable, err.Error())
		return
	}
	result, err := clients.Data.QueryData(r.Context(), backend.ToProto().QueryDataRequest(request))
	if err != nil {
		s.backendFailed(w, "query", err)
		return
	}
	response, err := backend.FromProto().QueryDataResponse(result)
	if err != nil {
		s.backendFailed(w, "query", err)
		return
	}
	status := http.StatusOK
	for _, result := range response.Responses {
		if result.Error != nil {
			status = http.StatusBadRequest
		}
	}
	writeJSON(w, status, response)
}

func (s *server) queryRequest(body queryBody, header http.Header) (*backend.QueryDataRequest, error) {
	if len(body.Queries) == 0 {
		return nil, errors.New("no queries found")
	}
	request := &backend.QueryDataRequest{PluginContext: s.Settings.PluginContext(), Headers: map[string]string{}}
	for _, raw := range body.Queries {
		query, err := s.dataQuery(raw, queryTimeRange{From: body.From, To: body.To})
		if err != nil {
			return nil, err
		}
		request.Queries = append(request.Queries, query)
	}
	for _, name := range forwardedHeaders {
		if value := header.Get(name); value != "" {
			request.SetHTTPHeader(name, value)
		}
	}
	return request, nil
}

func (s *server) dataQuery(raw json.RawMessage, timeRange queryTimeRange) (backend.DataQuery, error) {
	fields := queryFields{RefID: "A", MaxDataPoints: defaultMaxDataPoints, IntervalMS: float64(defaultInterval.Milliseconds())}
	if err := json.Unmarshal(raw, &fields); err != nil {
		return backend.DataQuery{}, fmt.Errorf("bad query: %w", err)
	}
	if fields.DataSource.UID != s.Settings.Get().UID {
		return backend.DataQuery{}, errOtherDataSource
	}
	if fields.TimeRange != nil {
		timeRange = *fields.TimeRange
	}
	parsed := gtime.NewTimeRange(timeRange.From, timeRange.To)
	from, err := parsed.ParseFrom()
	if err != nil {
		return backend.DataQuery{}, fmt.Errorf("bad time range: %w", err)
	}
	to, err := parsed.ParseTo()
	if err != nil {
		return backend.DataQuery{}, fmt.Errorf("bad time range: %w", err)
	}
	return backend.DataQuery{
		RefID:         fields.RefID,
		QueryType:     fields.QueryType,
		MaxDataPoints: fields.MaxDataPoints,
		Interval:      time.Duration(fields.IntervalMS * float64(time.Millisecond)),
		TimeRange:     backend.TimeRange{From: from, To: to},
		JSON:          raw,
	}, nil
}

// backendFailed responds to a call that did not come back from the backend at all: it died, or it refused.
func (s *server) backendFailed(w http.ResponseWriter, what string, err error) {
	s.Log.Error("the plugin's backend did not respond", "call", what, "error", err)
	writeError(w, http.StatusInternalServerError, "An error occurred within the plugin")
}
