package mainapi

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"
)

// Why a signature is refused, in the order in which it is looked for. The messages don't say what would have been right.
const (
	missing         = "the Authorization header is missing"
	malformed       = "the Authorization header is not of the form: Bearer version:access_key_id:signature"
	otherVersion    = "the signature version is not supported"
	otherKey        = "the access key is not known"
	timestampFormat = "the timestamp header is missing or not an RFC 3339 time in seconds, in UTC"
	timestampSkew   = "the timestamp is too far from the current time"
	notCanonical    = "the query is not in its canonical form"
	mismatch        = "the signature does not match"
)

const (
	version = "1.0"
	// tolerance is how far a timestamp may be from the platform's clock, in either direction.
	tolerance = 5 * time.Minute
	// timestampHeader carries the time that was signed.
	timestampHeader = "X-Vendor-Timestamp"
)

// timestamp is the form of a time that is signed: RFC 3339 in seconds, in UTC.
var timestamp = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(Z|\+00:00)$`)

// verifier checks signatures.
type verifier struct {
	accessKey string
	secret    []byte
	now       func() time.Time
}

func newVerifier(c Config) (*verifier, error) {
	decoded, err := base64.RawURLEncoding.Strict().DecodeString(c.SecretKey)
	if err != nil || len(decoded) == 0 {
		return nil, fmt.Errorf("the secret key is not raw URL-safe base64")
	}
	return &verifier{c.AccessKeyID, decoded, c.Now}, nil
}

// check returns why the signature of a request is refused, or "".
//
// Signed is the HMAC-SHA256 of four lines, each ended by a newline: the path as it was sent, the canonical query, the method
// and the timestamp header.
func (v *verifier) check(r *http.Request) string {
	headers := r.Header.Values("Authorization")
	if len(headers) == 0 {
		return missing
	}
	credential, isBearer := strings.CutPrefix(headers[0], "Bearer ")
	parts := strings.Split(credential, ":")
	if len(headers) > 1 || !isBearer || len(parts) != 3 {
		return malformed
	}
	signature, err := base64.RawURLEncoding.Strict().DecodeString(parts[2])
	switch {
	case err != nil || len(signature) != sha256.Size:
		return malformed
	case parts[0] != version:
		return otherVersion
	case parts[1] != v.accessKey:
		return otherKey
	}
	stamps := r.Header.Values(timestampHeader)
	if len(stamps) != 1 || !timestamp.MatchString(stamps[0]) {
		return timestampFormat
	}
	signed, err := time.Parse(time.RFC3339, stamps[0])
	switch {
	case err != nil:
		return timestampFormat
	case v.now().Sub(signed).Abs() > tolerance:
		return timestampSkew
	}
	params, err := url.ParseQuery(r.URL.RawQuery)
	switch {
	case err != nil || params.Encode() != r.URL.RawQuery:
		return notCanonical
	case !hmac.Equal(signature, v.sign(r.URL.EscapedPath(), r.URL.RawQuery, r.Method, stamps[0])):
		return mismatch
	}
	return ""
}

func (v *verifier) sign(path, query, verb, timestamp string) []byte {
	mac := hmac.New(sha256.New, v.secret)
	_, _ = fmt.Fprintf(mac, "%s\n%s\n%s\n%s\n", path, query, verb, timestamp) // a hash takes everything
	return mac.Sum(nil)
}
