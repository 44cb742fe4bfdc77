package mainapi

import (
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/internal/respond"
)

// item is an entry of a list, as it is written in JSON.
type item map[string]any

// page is a response; NextToken leads to the page that follows.
type page struct {
	Items     []item `json:"items"`
	NextToken string `json:"next_token,omitempty"`
}

const (
	usualPage = 50
	mostItems = 500 // of a page
)

// listRequest is a request for a list at a time; times are Unix milliseconds.
type listRequest struct {
	now      int64
	params   url.Values
	from, to int64 // start_time and end_time; 0 if they weren't given
}

// filter returns a parameter's values, which may be joined by commas; none stand for all.
func (q *listRequest) filter(name string) []string {
	var values []string
	for _, joined := range q.params[name] {
		for value := range strings.SplitSeq(joined, ",") {
			if value != "" {
				values = append(values, value)
			}
		}
	}
	return values
}

// admits reports whether a value passes a filter.
func admits(filter []string, value string) bool {
	return len(filter) == 0 || slices.Contains(filter, value)
}

func (a *API) writeList(w http.ResponseWriter, r *http.Request, l list) {
	q, err := a.read(r.URL.Query())
	if err != nil {
		respond.Refuse(w, http.StatusBadRequest, "bad_request", err.Error())
		return
	}
	whole := page{Items: l.items(a, q)}
	if l.paged {
		if whole, err = cut(whole.Items, q.params); err != nil {
			respond.Refuse(w, http.StatusBadRequest, "bad_request", err.Error())
			return
		}
	}
	if whole.Items == nil {
		whole.Items = []item{}
	}
	respond.JSON(w, http.StatusOK, whole)
}

func (a *API) read(params url.Values) (*listRequest, error) {
	q := &listRequest{now: a.now(), params: params}
	for name, at := range map[string]*int64{"start_time": &q.from, "end_time": &q.to} {
		text := params.Get(name)
		if text == "" {
			continue
		}
		t, err := time.Parse(time.RFC3339, text)
		if err != nil {
			return nil, errors.New(name + " is not an RFC 3339 time")
		}
		*at = t.UnixMilli()
	}
	if q.from != 0 && q.to != 0 && q.to < q.from {
		return nil, errors.New("end_time is before start_time")
	}
	return q, nil
}

// span returns the requested range: start_time to end_time or, by default, the usual length up to now. It is cut to what is
// neither in the future nor older than the retention.
func (q *listRequest) span(usual int64) (from, to int64) {
	to = q.now
	if q.to != 0 {
		to = min(q.to, q.now)
	}
	from = to - usual
	if q.from != 0 {
		from = q.from
	}
	return max(from, q.now-retention), to
}

// cut returns the requested page of a list: the items after the one that the token names.
// Each has an "id".
func cut(all []item, params url.Values) (page, error) {
	limit := usualPage
	if text := params.Get("limit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return page{}, errors.New("limit is not a positive number")
		}
		limit = min(n, mostItems)
	}
	if token := params.Get("next_token"); token != "" {
		last, err := base64.RawURLEncoding.DecodeString(token)
		i := slices.IndexFunc(all, func(one item) bool { return one["id"] == string(last) })
		if err != nil || i < 0 {
			return page{}, errors.New("next_token is not valid")
		}
		all = all[i+1:]
	}
	if len(all) <= limit {
		return page{Items: all}, nil
	}
	last, _ := all[limit-1]["id"].(string)
	return page{all[:limit], base64.RawURLEncoding.EncodeToString([]byte(last))}, nil
}

// stamp writes a time as the main API does.
func stamp(t int64) string { return time.UnixMilli(t).UTC().Format(time.RFC3339) }
