// cspell:ignore Vjcm pbmcta pbmc
package mainapi_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend/httpclient"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/mainapi"
)

type vectors struct {
	SecretKey   string `json:"secret_key"`
	AccessKeyID string `json:"access_key_id"`
	Vectors     []struct {
		Name, Path, Verb, Timestamp, Signature string
		Query                                  [][2]string
		CanonicalQuery                         string `json:"canonical_query"`
	}
}

func readVectors(t *testing.T) vectors {
	t.Helper()
	file, err := os.ReadFile("testdata/signing-vectors.json")
	require.NoError(t, err)
	var v vectors
	require.NoError(t, json.Unmarshal(file, &v))
	require.NotEmpty(t, v.Vectors)
	return v
}

func newSigner(t testing.TB, secret string, now time.Time) func(http.RoundTripper) http.RoundTripper {
	t.Helper()
	signer, err := mainapi.NewSigner("AK-EXAMPLE", secret, "", func() time.Time { return now })
	require.NoError(t, err)
	return signer
}

// sent passes a request through the signer and returns the signed one.
func sent(t require.TestingT, sign func(http.RoundTripper) http.RoundTripper, req *http.Request) *http.Request {
	var left *http.Request
	_, err := sign(httpclient.RoundTripperFunc(func(req *http.Request) (*http.Response, error) {
		left = req
		return &http.Response{Body: io.NopCloser(strings.NewReader(""))}, nil
	})).RoundTrip(req) //nolint:bodyclose // there is no body
	require.NoError(t, err)
	return left
}

// signatureOf is the signature by the specification: the HMAC-SHA256 of four lines.
func signatureOf(t require.TestingT, secret string, lines ...string) string {
	key, err := base64.RawURLEncoding.DecodeString(secret)
	require.NoError(t, err)
	mac := hmac.New(sha256.New, key)
	_, _ = io.WriteString(mac, strings.Join(lines, "\n")+"\n")
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

func TestSign_Vectors(t *testing.T) {
	v := readVectors(t)
	for _, vector := range v.Vectors {
		t.Run(vector.Name, func(t *testing.T) {
			params := url.Values{}
			for _, pair := range vector.Query {
				params.Add(pair[0], pair[1])
			}
			require.Equal(t, vector.CanonicalQuery, params.Encode())
			require.Equal(t, vector.Signature, signatureOf(t, v.SecretKey, vector.Path, vector.CanonicalQuery, vector.Verb, vector.Timestamp))
		})
	}
}

func TestSign_RequestUnchanged(t *testing.T) {
	v := readVectors(t)
	for _, vector := range v.Vectors {
		if !strings.HasSuffix(vector.Timestamp, "Z") {
			continue // the signer writes UTC as Z
		}
		t.Run(vector.Name, func(t *testing.T) {
			now, err := time.Parse(time.RFC3339, vector.Timestamp)
			require.NoError(t, err)
			var pairs []string
			for _, pair := range vector.Query {
				pairs = append(pairs, url.QueryEscape(pair[0])+"="+url.QueryEscape(pair[1]))
			}
			req, err := http.NewRequest(vector.Verb, "https://api.example.com"+vector.Path+"?"+strings.Join(pairs, "&"), nil)
			require.NoError(t, err)
			left := sent(t, newSigner(t, v.SecretKey, now.Add(999*time.Millisecond).In(time.FixedZone("east", 7200))), req)
			require.Equal(t, vector.CanonicalQuery, left.URL.RawQuery)
			require.Equal(t, vector.Timestamp, left.Header.Get("X-Vendor-Timestamp"), "seconds, UTC")
			require.Equal(t, "Bearer 1.0:AK-EXAMPLE:"+vector.Signature, left.Header.Get("Authorization"))
		})
	}
}

func TestSign_SignedIsSent(t *testing.T) {
	const secret = "c2VjcmV0LXNpZ25pbmcta2V5LTAxMjM0NTY3ODk"
	signer := newSigner(t, secret, time.Unix(1700000000, 0))
	rapid.Check(t, func(t *rapid.T) {
		params := url.Values(rapid.MapOf(rapid.String(), rapid.SliceOfN(rapid.String(), 1, 3)).Draw(t, "params"))
		verb := rapid.SampledFrom([]string{"GET", "PUT", "POST", "PATCH", "DELETE"}).Draw(t, "verb")
		segment := rapid.StringN(1, 12, -1).Draw(t, "segment")
		address := &url.URL{Scheme: "https", Host: "api.example.com", Path: "/v1/" + segment, RawQuery: params.Encode()}
		req := &http.Request{Method: verb, URL: address, Header: http.Header{}}
		left := sent(t, signer, req)

		names := []string{}
		for _, pair := range strings.Split(left.URL.RawQuery, "&") {
			name, _, _ := strings.Cut(pair, "=")
			decoded, err := url.QueryUnescape(name)
			require.NoError(t, err)
			names = append(names, decoded)
		}
		require.True(t, sort.StringsAreSorted(names), "sorted by name")
		again, err := url.ParseQuery(left.URL.RawQuery)
		require.NoError(t, err)
		require.Equal(t, params, again, "nothing is lost or added")
		require.Equal(t, "Bearer 1.0:AK-EXAMPLE:"+signatureOf(t, secret, left.URL.EscapedPath(), left.URL.RawQuery, verb, left.Header.Get("X-Vendor-Timestamp")),
			left.Header.Get("Authorization"))
		require.Equal(t, params.Encode(), req.URL.RawQuery, "the caller's request is not modified")
		require.Empty(t, req.Header)
	})
}

func TestSign_FreshTimestampPerAttempt(t *testing.T) {
	now := time.Date(2025, 1, 2, 3, 4, 5, 0, time.UTC)
	signer, err := mainapi.NewSigner("AK", "c2VjcmV0", "X-Time", func() time.Time { now = now.Add(time.Second); return now })
	require.NoError(t, err)
	req, err := http.NewRequest(http.MethodGet, "https://api.example.com/v1/capacities", nil)
	require.NoError(t, err)
	first, second := sent(t, signer, req), sent(t, signer, req)
	require.Equal(t, "2025-01-02T03:04:06Z", first.Header.Get("X-Time"))
	require.Equal(t, "2025-01-02T03:04:07Z", second.Header.Get("X-Time"))
	require.NotEqual(t, first.Header.Get("Authorization"), second.Header.Get("Authorization"))
}

func TestSecretKey_Invalid(t *testing.T) {
	for secret, want := range map[string]string{
		"c2VjcmV0MQ==":         "is not base64",
		"ab+/ab":               "is not base64",
		"not base64 at all!":   "is not base64",
		"c2VjcmV0LXNpZ25pbmc1": "",
	} {
		_, err := mainapi.NewSigner("AK", secret, "", time.Now)
		if want == "" {
			require.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, "The secret key "+want)
		if secret != "" {
			require.NotContains(t, err.Error(), secret)
		}
	}
}
