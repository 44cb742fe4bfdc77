package mainapi

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend/httpclient"
)

const (
	// signatureVersion is the first part of the Authorization value.
	signatureVersion = "1.0"
	// defaultTimestampHeader carries the time that was signed.
	defaultTimestampHeader = "X-Vendor-Timestamp"
)

// errSecretKey is the error of a secret key that is not raw URL-safe base64. It does not contain the key.
var errSecretKey = errors.New( //nolint:staticcheck // a sentence for people
	`The secret key is not base64 without padding, with "-" and "_" in place of "+" and "/". Copy it again, whole and without spaces.`)

// signer signs requests to the main API. It is safe for concurrent use.
type signer struct {
	accessKeyID, header string
	key                 []byte
	now                 func() time.Time
	// accepted is the encoding of queries that the platform accepted last, and searchAfter when others may be tried again, in Unix seconds.
	accepted, searchAfter atomic.Int64
}

// NewSigner signs with an access key. secret is raw URL-safe base64, that is, without padding; otherwise the error is a sentence about
// it, without it. header is the name of the header with the timestamp, [defaultTimestampHeader] if empty.
func NewSigner(accessKeyID, secret, header string, now func() time.Time) (func(http.RoundTripper) http.RoundTripper, error) {
	key, err := base64.RawURLEncoding.Strict().DecodeString(secret)
	if err != nil {
		return nil, errSecretKey
	}
	s := &signer{accessKeyID: accessKeyID, header: http.CanonicalHeaderKey(cmp.Or(header, defaultTimestampHeader)), key: key, now: now}
	return s.authorize, nil
}

// sign computes the signature of a request.
//
// path is the escaped path with its version, query the canonical query, verb the HTTP method as it is sent, timestamp the
// RFC 3339 time of the header. The payload is these four lines, each followed by a newline. The signature is its
// HMAC-SHA256 in raw URL-safe base64.
func (s *signer) sign(path, query, verb, timestamp string) string {
	mac := hmac.New(sha256.New, s.key)
	for _, line := range [...]string{path, query, verb, timestamp} {
		mac.Write([]byte(line + "\n"))
	}
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// canonicalQuery is a query as it is signed and as it is sent: sorted by name, values of one name in the order given, a blank value as
// "name=".
type canonicalQuery struct{ signed, sent string }

// encodings are the forms that a query may be signed in, because the specification leaves open how names and values are encoded: as
// url.Values.Encode does; with "%20" for a space, as RFC 3986; and as they are. Letters and digits are the same in all of them.
func encodings(params url.Values) []canonicalQuery {
	form := params.Encode()
	escaped := strings.ReplaceAll(form, "+", "%20") // a plus sign of a value is %2B
	raw, _ := url.PathUnescape(escaped)             // it is well-formed
	return []canonicalQuery{{form, form}, {escaped, escaped}, {raw, escaped}}
}

// searchPause is the time without other encodings after the platform has rejected all: the key or the clock is wrong, and not the encoding.
const searchPause = 5 * time.Minute

// authorize signs each attempt of each request. All are GET, without a body.
//
// After a 401 it sends the request again with its query in the other encodings, if they differ, once each, and uses the accepted one from
// then on. After a rejection of all it does not try others for 5 minutes.
func (s *signer) authorize(next http.RoundTripper) http.RoundTripper {
	return httpclient.RoundTripperFunc(func(req *http.Request) (*http.Response, error) {
		queries := encodings(req.URL.Query())
		first := queries[s.accepted.Load()]
		resp, err := next.RoundTrip(s.signed(req, first))
		if err != nil || resp.StatusCode != http.StatusUnauthorized || s.now().Unix() < s.searchAfter.Load() {
			return resp, err
		}
		tried := []canonicalQuery{first}
		for encoding, query := range queries {
			if slices.Contains(tried, query) {
				continue
			}
			_ = resp.Body.Close()
			resp, err = next.RoundTrip(s.signed(req, query))
			switch {
			case err != nil:
				return nil, err
			case resp.StatusCode/100 == 2:
				s.accepted.Store(int64(encoding))
				return resp, nil
			case resp.StatusCode != http.StatusUnauthorized:
				return resp, nil
			}
			tried = append(tried, query)
		}
		if len(tried) > 1 {
			s.searchAfter.Store(s.now().Add(searchPause).Unix())
		}
		return resp, nil
	})
}

// signed is a copy of a request with the signature and the present timestamp.
func (s *signer) signed(req *http.Request, query canonicalQuery) *http.Request {
	req = req.Clone(req.Context())
	req.URL.RawQuery = query.sent
	timestamp := s.now().UTC().Format(time.RFC3339)
	signature := s.sign(req.URL.EscapedPath(), query.signed, req.Method, timestamp)
	req.Header[s.header] = []string{timestamp}
	req.Header.Set("Authorization", "Bearer "+signatureVersion+":"+s.accessKeyID+":"+signature)
	return req
}
