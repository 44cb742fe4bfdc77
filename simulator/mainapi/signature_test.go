package mainapi_test

import (
	"encoding/json"
	"net/http"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/internal/served"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/mainapi"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

func TestSignature_Vectors(t *testing.T) {
	file, err := os.ReadFile("testdata/signing-vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var v struct {
		SecretKey   string `json:"secret_key"`
		AccessKeyID string `json:"access_key_id"`
		Version     string
		Vectors     []struct {
			Name, Path, Verb, Timestamp, Signature string
			CanonicalQuery                         string `json:"canonical_query"`
		}
	}
	if err := json.Unmarshal(file, &v); err != nil || len(v.Vectors) == 0 {
		t.Fatalf("%d vectors, %v", len(v.Vectors), err)
	}
	c := start(t, platform.Config{AccessKeyID: v.AccessKeyID, SecretKey: v.SecretKey, ProjectID: "p-1", OrganizationID: "o-1"})
	for _, vector := range v.Vectors {
		t.Run(vector.Name, func(t *testing.T) {
			at, err := time.Parse(time.RFC3339, vector.Timestamp)
			if err != nil {
				t.Fatal(err)
			}
			c.Set(at)
			r, _ := http.NewRequest(vector.Verb, c.Server.URL+strings.TrimSuffix(vector.Path+"?"+vector.CanonicalQuery, "?"), nil)
			r.Header.Set(platform.DefaultTimestampHeader, vector.Timestamp)
			r.Header.Set("Authorization", "Bearer "+v.Version+":"+v.AccessKeyID+":"+vector.Signature)
			if response, o := c.do(r); response.StatusCode != http.StatusOK {
				t.Errorf("status %d, %v", response.StatusCode, o)
			}
		})
	}
}

func TestSignature_Refused(t *testing.T) {
	const header = platform.DefaultTimestampHeader
	stamp := served.Begun.Format(time.RFC3339)
	c := start(t, platform.Config{})
	id, secret := c.Config().AccessKeyID, c.Config().SecretKey
	good := signature(secret, "/v1/capacities", "", "GET", stamp)
	resigned := func(at string) func(*http.Request) {
		return func(r *http.Request) {
			r.Header.Set(header, at)
			r.Header.Set("Authorization", "Bearer 1.0:"+id+":"+signature(secret, "/v1/capacities", "", "GET", at))
		}
	}
	authorized := func(value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set("Authorization", value) }
	}
	at := func(d time.Duration, layout string) string { return served.Begun.Add(d).Format(layout) }
	const offset = "2006-01-02T15:04:05+00:00"

	for name, tc := range map[string]struct {
		change func(*http.Request)
		reason mainapi.Reason // "": it is accepted
	}{
		"as specified":                        {func(*http.Request) {}, ""},
		"with an offset of zero":              {resigned(at(0, offset)), ""},
		"five minutes late":                   {resigned(at(-5*time.Minute, time.RFC3339)), ""},
		"five minutes early":                  {resigned(at(5*time.Minute, time.RFC3339)), ""},
		"later than that":                     {resigned(at(-5*time.Minute-time.Second, time.RFC3339)), mainapi.TimestampSkew},
		"earlier than that":                   {resigned(at(5*time.Minute+time.Second, time.RFC3339)), mainapi.TimestampSkew},
		"without a header":                    {func(r *http.Request) { r.Header.Del("Authorization") }, mainapi.Missing},
		"with the monitoring token":           {authorized("Bearer " + c.Config().MonitoringToken), mainapi.Malformed},
		"with another scheme":                 {authorized("HMAC 1.0:" + id + ":" + good), mainapi.Malformed},
		"with padding":                        {authorized("Bearer 1.0:" + id + ":" + good + "="), mainapi.Malformed},
		"with half a signature":               {authorized("Bearer 1.0:" + id + ":" + good[:20]), mainapi.Malformed},
		"with a fourth part":                  {authorized("Bearer 1.0:" + id + ":" + good + ":x"), mainapi.Malformed},
		"with two headers":                    {func(r *http.Request) { r.Header.Add("Authorization", r.Header.Get("Authorization")) }, mainapi.Malformed},
		"of another version":                  {authorized("Bearer 1.1:" + id + ":" + good), mainapi.Version},
		"of another key":                      {authorized("Bearer 1.0:OTHER:" + good), mainapi.AccessKey},
		"without a timestamp":                 {func(r *http.Request) { r.Header.Del(header) }, mainapi.TimestampFormat},
		"with fractions of seconds":           {resigned(at(0, "2006-01-02T15:04:05.000Z")), mainapi.TimestampFormat},
		"in another time zone":                {resigned(served.Begun.In(time.FixedZone("", 7200)).Format(time.RFC3339)), mainapi.TimestampFormat},
		"with a time that isn't":              {resigned("2026-02-31T00:00:00Z"), mainapi.TimestampFormat},
		"with Unix seconds":                   {resigned("1779289445"), mainapi.TimestampFormat},
		"with another timestamp than signed":  {func(r *http.Request) { r.Header.Set(header, at(time.Second, time.RFC3339)) }, mainapi.Mismatch},
		"for another path":                    {func(r *http.Request) { r.URL.Path = "/v1/usage" }, mainapi.Mismatch},
		"for another verb":                    {func(r *http.Request) { r.Method = http.MethodPost }, mainapi.Mismatch},
		"with a query that isn't signed":      {func(r *http.Request) { r.URL.RawQuery = "location=a" }, mainapi.Mismatch},
		"made with another secret":            {authorized("Bearer 1.0:" + id + ":" + signature("b3RoZXI", "/v1/capacities", "", "GET", stamp)), mainapi.Mismatch},
		"without the line of the empty query": {authorized("Bearer 1.0:" + id + ":" + signature(secret, "/v1/capacities", "GET", stamp)), mainapi.Mismatch},
	} {
		t.Run(name, func(t *testing.T) {
			c.ResetCounters()
			r := c.signed(http.MethodGet, "/v1/capacities")
			tc.change(r)
			response, o := c.do(r)
			want, status := map[mainapi.Reason]int{}, http.StatusOK
			if tc.reason != "" {
				want[tc.reason], status = 1, http.StatusUnauthorized
			}
			if got := c.Counters().SignatureFailures; response.StatusCode != status || !reflect.DeepEqual(got, want) {
				t.Errorf("status %d, %v; failures %v", response.StatusCode, o, got)
			}
			if tc.reason != "" && (o.Text("code") != "bad_credential" || o.Text("message") == "" || strings.Contains(o.Text("message"), good)) {
				t.Errorf("%v", o)
			}
		})
	}
}

func TestSignature_Query(t *testing.T) {
	c := start(t, platform.Config{})
	for query, accepted := range map[string]bool{
		"location=a&product_name=b%2Cc":  true,
		"q=eu+s%C3%BCd+1":                true,
		"limit=&tag=b&tag=a":             true,
		"product_name=b%2Cc&location=a":  false, // not sorted
		"location=a&product_name=b,c":    false, // a comma as it is
		"q=eu%20s%C3%BCd":                false, // a space that is not a plus
		"q=s%c3%bcd":                     false, // lower-case digits
		"limit":                          false, // no equals sign
		"location=a&":                    false,
		"start_time=2025-01-01T00:00:0Z": false,
		"q=%":                            false,
		"a=1;b=2":                        false,
	} {
		c.ResetCounters()
		r := c.signed(http.MethodGet, "/v1/capacities?"+query)
		response, o := c.do(r)
		if isOK := response.StatusCode == http.StatusOK; isOK != accepted || accepted != (c.Counters().SignatureFailures[mainapi.Query] == 0) {
			t.Errorf("%s: status %d, %v", query, response.StatusCode, o)
		}
	}
}

func TestSignature_TimestampHeader(t *testing.T) {
	c := start(t, platform.Config{TimestampHeader: "X-Acme-Timestamp"})
	c.items("capacities", nil)
	r := c.signed(http.MethodGet, "/v1/capacities")
	r.Header.Set(platform.DefaultTimestampHeader, r.Header.Get("X-Acme-Timestamp"))
	r.Header.Del("X-Acme-Timestamp")
	if response, o := c.do(r); response.StatusCode != http.StatusUnauthorized {
		t.Errorf("status %d, %v", response.StatusCode, o)
	}
}

func TestDateHeader(t *testing.T) {
	c := start(t, platform.Config{})
	c.Wait(-26 * time.Hour)
	response, _ := c.do(c.signed(http.MethodGet, "/v1/capacities"))
	if got := response.Header.Get("Date"); got != "Tue, 19 May 2026 13:04:05 GMT" {
		t.Errorf("the response is of %s", got)
	}
	response, _ = c.do(func() *http.Request {
		r := c.signed(http.MethodGet, "/v1/capacities")
		r.Header.Del("Authorization")
		return r
	}())
	if got := response.Header.Get("Date"); response.StatusCode != 401 || got != "Tue, 19 May 2026 13:04:05 GMT" {
		t.Errorf("the refusal, %d, is of %s", response.StatusCode, got)
	}
}

func TestNew_SecretKeyNotBase64(t *testing.T) {
	for _, secret := range []string{"padded=", "standard+/a", "spaces are not"} {
		func() {
			defer func() {
				if problem, _ := recover().(string); !strings.Contains(problem, "raw URL-safe base64") || strings.Contains(problem, secret) {
					t.Errorf("%q: %q", secret, problem)
				}
			}()
			platform.New(platform.Config{SecretKey: secret})
		}()
	}
}
