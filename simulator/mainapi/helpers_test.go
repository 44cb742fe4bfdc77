package mainapi_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/internal/served"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

// client sends requests to one platform over HTTP.
type client struct {
	*served.Platform
	t *testing.T
}

func start(t *testing.T, config platform.Config) *client {
	t.Helper()
	return &client{served.Start(t, config), t}
}

// signature signs four lines.
func signature(secret string, lines ...string) string {
	key, err := base64.RawURLEncoding.DecodeString(secret)
	if err != nil {
		panic(err)
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(strings.Join(lines, "\n") + "\n"))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// signed makes a request that is signed well; path may have a query, which is taken as it is.
func (c *client) signed(method, path string) *http.Request {
	c.t.Helper()
	r, err := http.NewRequest(method, c.Server.URL+path, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	stamp := c.Now().UTC().Format(time.RFC3339)
	base, query, _ := strings.Cut(path, "?")
	r.Header.Set("X-Vendor-Timestamp", stamp)
	r.Header.Set("Authorization", "Bearer 1.0:"+c.Config().AccessKeyID+":"+signature(c.Config().SecretKey, base, query, method, stamp))
	return r
}

// object is a JSON object.
type object = served.Object

// do sends a request and decodes the response.
func (c *client) do(r *http.Request) (*http.Response, object) {
	c.t.Helper()
	response, err := c.Server.Client().Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	var o object
	if err := json.NewDecoder(response.Body).Decode(&o); err != nil {
		c.t.Fatalf("%s: status %d: %v", r.URL, response.StatusCode, err)
	}
	return response, o
}

// items returns a list, and the token of the page that follows.
func (c *client) items(path string, params url.Values) (items []object, token string) {
	c.t.Helper()
	response, o := c.do(c.signed(http.MethodGet, strings.TrimSuffix("/v1/"+path+"?"+params.Encode(), "?")))
	all, isList := o["items"].([]any)
	if response.StatusCode != http.StatusOK || !isList {
		c.t.Fatalf("%s: status %d, %v", path, response.StatusCode, o)
	}
	for _, one := range all {
		items = append(items, one.(map[string]any))
	}
	return items, o.Text("next_token")
}
