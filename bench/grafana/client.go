package grafana

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Client is a client of one Grafana. It is safe for concurrent use.
type Client struct {
	base           string
	user, password string
	http           *http.Client
}

// New makes a client of the Grafana at an address. A user and password in the address are used; without them it is
// admin, admin.
func New(address string) (*Client, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return nil, errors.New("the address of Grafana is not of the form http://user:password@host:port")
	}
	c := &Client{user: "admin", password: "admin", http: &http.Client{
		Timeout: time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: 100},
	}}
	if u.User != nil {
		c.user = u.User.Username()
		c.password, _ = u.User.Password()
		u.User = nil
	}
	c.base = strings.TrimRight(u.String(), "/")
	return c, nil
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

// Query runs a range query as a panel does, and returns the number of frames.
func (c *Client) Query(ctx context.Context, d Datasource, expr string, from, to time.Time, step time.Duration) (frames int, err error) {
	var answer struct {
		Results map[string]struct {
			Error  string            `json:"error"`
			Frames []json.RawMessage `json:"frames"`
		} `json:"results"`
	}
	err = c.do(ctx, http.MethodPost, "/api/ds/query", map[string]any{
		"from": strconv.FormatInt(from.UnixMilli(), 10), "to": strconv.FormatInt(to.UnixMilli(), 10),
		"queries": []map[string]any{{
			"refId": "A", "datasource": map[string]string{"uid": d.UID, "type": d.Type}, "expr": expr, "range": true,
			"interval": fmt.Sprintf("%ds", int(step.Seconds())), "intervalMs": step.Milliseconds(), "maxDataPoints": to.Sub(from)/step + 1,
		}},
	}, &answer)
	if err == nil && answer.Results["A"].Error != "" {
		err = errors.New(answer.Results["A"].Error)
	}
	return len(answer.Results["A"].Frames), err
}

// do sends a request and decodes the response into a value, if that isn't nil.
func (c *Client) do(ctx context.Context, method, path string, body, into any) error {
	encoded, err := json.Marshal(body)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(encoded))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.SetBasicAuth(c.user, c.password)
	resp, err := c.http.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("grafana answered %s %s with %s: %.200s", method, path, resp.Status, answer)
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(answer, into)
}
