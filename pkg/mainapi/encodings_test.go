// cspell:ignore pbmcta Jvbmc
package mainapi_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend/httpclient"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/mainapi"
)

const formSecret = "c2VjcmV0LXNpZ25pbmcta2V5LTAxMjM0NTY3ODk"

// verifier is a platform that accepts one form of the canonical query. It verifies the bytes of the request, and shares no
// code with the signer.
type verifier struct {
	form   string
	status int
	secret string

	mu   sync.Mutex
	seen []string
}

func (v *verifier) RoundTrip(req *http.Request) (*http.Response, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.seen = append(v.seen, req.URL.RawQuery)
	status := v.status
	if !v.accepts(req) {
		status = http.StatusUnauthorized
	}
	return &http.Response{StatusCode: status, Body: io.NopCloser(strings.NewReader("{}")), Request: req}, nil
}

func (v *verifier) accepts(req *http.Request) bool {
	var names, pairs []string
	for _, pair := range strings.Split(req.URL.RawQuery, "&") {
		name, value, _ := strings.Cut(pair, "=")
		if pair == "" {
			continue
		}
		if v.form == "form" && strings.Contains(pair, "%20") || v.form != "form" && strings.Contains(pair, "+") {
			return false
		}
		simpleName, plainValue := unescape(name), unescape(value)
		names = append(names, simpleName)
		if v.form == "raw" {
			name, value = simpleName, plainValue
		}
		pairs = append(pairs, name+"="+value)
	}
	if !slices.IsSorted(names) {
		return false
	}
	key, _ := base64.RawURLEncoding.DecodeString(v.secret)
	mac := hmac.New(sha256.New, key)
	_, _ = fmt.Fprintf(mac, "%s\n%s\n%s\n%s\n", req.URL.EscapedPath(), strings.Join(pairs, "&"), req.Method, req.Header.Get("X-Vendor-Timestamp"))
	return req.Header.Get("Authorization") == "Bearer 1.0:AK-EXAMPLE:"+base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// unescape accepts both encodings of a space.
func unescape(text string) string {
	var alerting []byte
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '+':
			alerting = append(alerting, ' ')
		case text[i] == '%' && i+2 < len(text):
			var b byte
			_, _ = fmt.Sscanf(text[i+1:i+3], "%02X", &b)
			alerting = append(alerting, b)
			i += 2
		default:
			alerting = append(alerting, text[i])
		}
	}
	return string(alerting)
}

// get sends a request with params through a signer, and returns the status of the response.
func get(t require.TestingT, through http.RoundTripper, params url.Values) int {
	req, err := http.NewRequest(http.MethodGet, "https://api.example.com/v1/capacities?"+params.Encode(), nil)
	require.NoError(t, err)
	resp, err := through.RoundTrip(req)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	return resp.StatusCode
}

func TestEncodings_FoundOnce(t *testing.T) {
	for name, test := range map[string]struct {
		form   string
		params url.Values
		sent   []string // by two requests
	}{
		"form": {"form", url.Values{"q": {"a b"}}, []string{"q=a+b", "q=a+b"}},
		"rfc3986 after form": {"rfc3986", url.Values{"q": {"a b"}, "p": {"c:d"}},
			[]string{"p=c%3Ad&q=a+b", "p=c%3Ad&q=a%20b", "p=c%3Ad&q=a%20b"}},
		"raw after both":                {"raw", url.Values{"q": {"a b"}}, []string{"q=a+b", "q=a%20b", "q=a%20b", "q=a%20b"}},
		"raw where two forms are equal": {"raw", url.Values{"q": {"a,b"}}, []string{"q=a%2Cb", "q=a%2Cb", "q=a%2Cb"}},
		"a plus sign is no space":       {"rfc3986", url.Values{"q": {"a+b c"}}, []string{"q=a%2Bb+c", "q=a%2Bb%20c", "q=a%2Bb%20c"}},
		"simple values":                 {"raw", url.Values{"q": {"a", ""}}, []string{"q=a&q=", "q=a&q="}},
	} {
		t.Run(name, func(t *testing.T) {
			v := &verifier{form: test.form, status: http.StatusOK, secret: formSecret}
			through := newSigner(t, formSecret, time.Unix(1700000000, 0))(v)
			require.Equal(t, http.StatusOK, get(t, through, test.params))
			require.Equal(t, http.StatusOK, get(t, through, test.params))
			require.Equal(t, test.sent, v.seen)
		})
	}
}

func TestEncodings_AnyQuery(t *testing.T) {
	for _, form := range []string{"form", "rfc3986", "raw"} {
		t.Run(form, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				v := &verifier{form: form, status: http.StatusOK, secret: formSecret}
				signer, err := mainapi.NewSigner("AK-EXAMPLE", formSecret, "", func() time.Time { return time.Unix(1700000000, 0) })
				require.NoError(t, err)
				through := signer(v)
				for range 3 {
					text := rapid.StringOf(rapid.OneOf(rapid.RuneFrom([]rune(" +%&=,:/~*-._äaZ0")), rapid.Rune()))
					params := url.Values(rapid.MapOfN(text, rapid.SliceOfN(text, 1, 3), 1, 4).Draw(t, "params"))
					v.seen = nil
					require.Equal(t, http.StatusOK, get(t, through, params))
					require.LessOrEqual(t, len(v.seen), 3, "each form once")
					again, err := url.ParseQuery(v.seen[len(v.seen)-1])
					require.NoError(t, err)
					require.Equal(t, params, again, "nothing is lost or added")
				}
			})
		})
	}
}

func TestEncodings_WrongKey(t *testing.T) {
	now := time.Unix(1700000000, 0)
	signer, err := mainapi.NewSigner("AK-EXAMPLE", "d3Jvbmc", "", func() time.Time { return now })
	require.NoError(t, err)
	v := &verifier{form: "form", status: http.StatusOK, secret: formSecret}
	through := signer(v)
	spaced := url.Values{"q": {"a b"}}
	sends := func(params url.Values) int {
		v.seen = nil
		require.Equal(t, http.StatusUnauthorized, get(t, through, params))
		return len(v.seen)
	}
	require.Equal(t, 1, sends(url.Values{"q": {"a"}}), "all forms are the same")
	require.Equal(t, 3, sends(spaced))
	require.Equal(t, 1, sends(spaced))
	now = now.Add(5*time.Minute - time.Second)
	require.Equal(t, 1, sends(spaced))
	now = now.Add(time.Second)
	require.Equal(t, 3, sends(spaced), "the platform may have changed since")
}

func TestEncodings_Outage(t *testing.T) {
	v := &verifier{form: "rfc3986", status: http.StatusServiceUnavailable, secret: formSecret}
	through := newSigner(t, formSecret, time.Unix(1700000000, 0))(v)
	require.Equal(t, http.StatusServiceUnavailable, get(t, through, url.Values{"q": {"a b"}}))
	v.status, v.form, v.seen = http.StatusOK, "form", nil
	require.Equal(t, http.StatusOK, get(t, through, url.Values{"q": {"a b"}}))
	require.Equal(t, []string{"q=a+b"}, v.seen, "form is the first, still")
}

func TestEncodings_ConcurrentRequests(t *testing.T) {
	for name, test := range map[string]struct {
		secret string
		status int
		most   int32
	}{
		"one is accepted": {formSecret, http.StatusOK, 10 * 3},
		"all are refused": {"d3Jvbmc", http.StatusUnauthorized, 10 * 3},
	} {
		t.Run(name, func(t *testing.T) {
			v := &verifier{form: "raw", status: http.StatusOK, secret: test.secret}
			var sent atomic.Int32
			var firsts sync.WaitGroup
			firsts.Add(10)
			through := newSigner(t, formSecret, time.Unix(1700000000, 0))(httpclient.RoundTripperFunc(func(req *http.Request) (*http.Response, error) {
				if sent.Add(1) <= 10 {
					firsts.Done()
					firsts.Wait() // all are rejected before one tries another encoding
				}
				return v.RoundTrip(req)
			}))
			var all sync.WaitGroup
			for range 10 {
				all.Go(func() { assert.Equal(t, test.status, get(t, through, url.Values{"q": {"a b"}})) })
			}
			all.Wait()
			require.LessOrEqual(t, sent.Load(), test.most)
		})
	}
}
