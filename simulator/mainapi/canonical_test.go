package mainapi_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/mainapi"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

func TestSignatureQuery_Forms(t *testing.T) {
	const form, rfc3986, raw = "location=a%2Cb&product_name=a+b%3A", "location=a%2Cb&product_name=a%20b%3A", "location=a,b&product_name=a b:"
	for _, tc := range []struct {
		form         mainapi.SignatureQuery
		sent, signed string
		status       int
	}{
		{mainapi.FormQuery, form, form, 200},
		{mainapi.FormQuery, rfc3986, rfc3986, 401},
		{mainapi.RFC3986Query, rfc3986, rfc3986, 200},
		{mainapi.RFC3986Query, form, form, 401},
		{mainapi.RFC3986Query, rfc3986, raw, 401},
		{mainapi.RawQuery, form, raw, 200},
		{mainapi.RawQuery, rfc3986, raw, 200},
		{mainapi.RawQuery, form, form, 401},
		{mainapi.RawQuery, "product_name=a&location=b", "product_name=a&location=b", 401},
		{mainapi.RawQuery, "", "", 200},
		{mainapi.RawQuery, "location=", "location=", 200},
	} {
		c := start(t, platform.Config{SignatureQuery: tc.form})
		r, _ := http.NewRequest(http.MethodGet, c.Server.URL+"/v1/capacities?"+tc.sent, nil)
		stamp := c.Now().UTC().Format(time.RFC3339)
		r.Header.Set(c.Config().TimestampHeader, stamp)
		r.Header.Set("Authorization", "Bearer 1.0:"+c.Config().AccessKeyID+":"+signature(c.Config().SecretKey, "/v1/capacities", tc.signed, http.MethodGet, stamp))
		if response, body := c.do(r); response.StatusCode != tc.status {
			t.Errorf("%s, sent %s, signed %s: status %d, %v", tc.form, tc.sent, tc.signed, response.StatusCode, body)
		}
	}
}

func TestSpecOnly(t *testing.T) {
	c := start(t, platform.Config{SpecOnly: true})
	if items, _ := c.items("capacities", nil); len(items) == 0 {
		t.Error("no capacities")
	}
	for _, path := range []string{"/v1/compute/vms/types", "/v1/projects/demo-project/storage/disks", "/v1/usage"} {
		if response, _ := c.do(c.signed(http.MethodGet, path)); response.StatusCode != 404 {
			t.Errorf("%s: status %d", path, response.StatusCode)
		}
	}
}
