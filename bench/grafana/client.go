package grafana

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// Client is a client of one Grafana. It is safe for concurrent use.
type Client struct {
	base     string
	login    map[string]string
	http     *http.Client
	received atomic.Int64
}

// Received is the size of the bodies of all responses, in bytes.
func (c *Client) Received() int64 { return c.received.Load() }

// New makes a client of the Grafana at an address, and signs in. A user and password in the address are used; without them it
// is admin, admin.
//
// It has a session, as a browser has. With the password in every request, Grafana would use more processor time for hashing
// it than for the queries.
func New(ctx context.Context, address string) (*Client, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return nil, errors.New("the address of Grafana is not of the form http://user:password@host:port")
	}
	login := map[string]string{"user": "admin", "password": "admin"}
	if u.User != nil {
		login["user"] = u.User.Username()
		login["password"], _ = u.User.Password()
		u.User = nil
	}
	session, err := cookiejar.New(nil)
	if err != nil {
		return nil, err
	}
	c := &Client{base: strings.TrimRight(u.String(), "/"), login: login, http: &http.Client{
		Timeout: time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: 100}, Jar: session,
	}}
	return c, c.do(ctx, http.MethodPost, "/login", login, nil)
}

// Datasource is a data source's settings, in the shape of Grafana's API.
type Datasource struct {
	Name           string            `json:"name"`
	UID            string            `json:"uid"`
	Type           string            `json:"type"`
	URL            string            `json:"url,omitempty"`
	Access         string            `json:"access"`
	JSONData       map[string]any    `json:"jsonData"`
	SecureJSONData map[string]string `json:"secureJsonData"`
}

// Create makes a data source.
func (c *Client) Create(ctx context.Context, d Datasource) error {
	d.Access = "proxy"
	return c.do(ctx, http.MethodPost, "/api/datasources", d, nil)
}

// Delete removes a data source.
func (c *Client) Delete(ctx context.Context, uid string) error {
	return c.do(ctx, http.MethodDelete, "/api/datasources/uid/"+url.PathEscape(uid), nil, nil)
}

// CreateDashboard makes a dashboard, in the shape of Grafana's API: a model with a uid.
func (c *Client) CreateDashboard(ctx context.Context, model map[string]any) error {
	return c.do(ctx, http.MethodPost, "/api/dashboards/db", map[string]any{"dashboard": model}, nil)
}

// DeleteDashboard removes a dashboard.
func (c *Client) DeleteDashboard(ctx context.Context, uid string) error {
	return c.do(ctx, http.MethodDelete, "/api/dashboards/uid/"+url.PathEscape(uid), nil, nil)
}

// Address is the address of Grafana, without user and password.
func (c *Client) Address() string { return c.base }

// Login is who the client is.
func (c *Client) Login() (user, password string) { return c.login["user"], c.login["password"] }

// Query runs a range query as a panel does, and returns the number of frames. It has the option "packed" of this plugin's front
// end, which other data sources ignore.
func (c *Client) Query(ctx context.Context, d Datasource, expr string, from, to time.Time, step time.Duration) (frames int, err error) {
	var response struct {
		Results map[string]struct {
			Error  string            `json:"error"`
			Frames []json.RawMessage `json:"frames"`
		} `json:"results"`
	}
	err = c.do(ctx, http.MethodPost, "/api/ds/query", map[string]any{
		"from": strconv.FormatInt(from.UnixMilli(), 10), "to": strconv.FormatInt(to.UnixMilli(), 10),
		"queries": []map[string]any{{
			"refId": "A", "datasource": map[string]string{"uid": d.UID, "type": d.Type}, "expr": expr, "range": true, "packed": true,
			"interval": fmt.Sprintf("%ds", int(step.Seconds())), "intervalMs": step.Milliseconds(), "maxDataPoints": to.Sub(from)/step + 1,
		}},
	}, &response)
	if err == nil && response.Results["A"].Error != "" {
		err = errors.New(response.Results["A"].Error)
	}
	return len(response.Results["A"].Frames), err
}

// ProcessorTime is the processor time that Grafana and the backend of a plugin have used, added up. Grafana has it in its
// metrics, to 10 ms.
func (c *Client) ProcessorTime(ctx context.Context, pluginID string) (time.Duration, error) {
	var sum float64
	for _, path := range []string{"/metrics", "/metrics/plugins/" + pluginID} {
		exposition, err := c.send(ctx, http.MethodGet, path, nil)
		if err != nil {
			return 0, err
		}
		_, rest, found := strings.Cut(string(exposition), "\nprocess_cpu_seconds_total ")
		value, _, _ := strings.Cut(rest, "\n")
		seconds, err := strconv.ParseFloat(value, 64)
		if !found || err != nil {
			return 0, fmt.Errorf("grafana has no process_cpu_seconds_total at %s", path)
		}
		sum += seconds
	}
	return time.Duration(sum * float64(time.Second)), nil
}

// do sends a request and decodes the response into a value, if that isn't nil.
func (c *Client) do(ctx context.Context, method, path string, body, into any) error {
	encoded, err := json.Marshal(body)
	if err != nil {
		return err
	}
	response, err := c.send(ctx, method, path, encoded)
	if err != nil || into == nil {
		return err
	}
	return json.Unmarshal(response, into)
}

// send sends a request and returns the body of the response.
func (c *Client) send(ctx context.Context, method, path string, body []byte) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	response, err := io.ReadAll(resp.Body)
	c.received.Add(int64(len(response)))
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("grafana responded to %s %s with %s: %.200s", method, path, resp.Status, response)
	}
	return response, nil
}
