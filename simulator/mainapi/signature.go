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

// Reason is why a signature is refused.
type Reason string

// The reasons, in the order in which they are looked for.
const (
	Missing         Reason = "missing"           // no Authorization header
	Malformed       Reason = "malformed"         // not "Bearer <version>:<key>:<signature>", or there are several
	Version         Reason = "version"           // not 1.0
	AccessKey       Reason = "accessKey"         // not the one that is known
	TimestampFormat Reason = "timestampFormat"   // no timestamp header, or not RFC 3339 in seconds and UTC
	TimestampSkew   Reason = "timestampSkew"     // too far from the platform's clock
	Query           Reason = "queryNotCanonical" // not sorted, or not form-encoded
	Mismatch        Reason = "signatureMismatch" // anything else: the secret, the path, the verb, what was signed
)

// messages are the messages of errors. They don't say what would have been right.
var messages = map[Reason]string{
	Missing:         "the Authorization header is missing",
	Malformed:       "the Authorization header is not of the form: Bearer version:access_key_id:signature",
	Version:         "the signature version is not supported",
	AccessKey:       "the access key is not known",
	TimestampFormat: "the timestamp header is missing or not an RFC 3339 time in seconds, in UTC",
	TimestampSkew:   "the timestamp is too far from the current time",
	Query:           "the query is not in its canonical form",
	Mismatch:        "the signature does not match",
}

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
func (v *verifier) check(r *http.Request) Reason {
	headers := r.Header.Values("Authorization")
	if len(headers) == 0 {
		return Missing
	}
	credential, isBearer := strings.CutPrefix(headers[0], "Bearer ")
	parts := strings.Split(credential, ":")
	if len(headers) > 1 || !isBearer || len(parts) != 3 {
		return Malformed
	}
	signature, err := base64.RawURLEncoding.Strict().DecodeString(parts[2])
	switch {
	case err != nil || len(signature) != sha256.Size:
		return Malformed
	case parts[0] != version:
		return Version
	case parts[1] != v.accessKey:
		return AccessKey
	}
	stamps := r.Header.Values(timestampHeader)
	if len(stamps) != 1 || !timestamp.MatchString(stamps[0]) {
		return TimestampFormat
	}
	signed, err := time.Parse(time.RFC3339, stamps[0])
	switch {
	case err != nil:
		return TimestampFormat
	case v.now().Sub(signed).Abs() > tolerance:
		return TimestampSkew
	}
	params, err := url.ParseQuery(r.URL.RawQuery)
	switch {
	case err != nil || params.Encode() != r.URL.RawQuery:
		return Query
	case !hmac.Equal(signature, v.sign(r.URL.EscapedPath(), r.URL.RawQuery, r.Method, stamps[0])):
		return Mismatch
	}
	return ""
}

func (v *verifier) sign(path, query, verb, timestamp string) []byte {
	mac := hmac.New(sha256.New, v.secret)
	_, _ = fmt.Fprintf(mac, "%s\n%s\n%s\n%s\n", path, query, verb, timestamp) // a hash takes everything
	return mac.Sum(nil)
}
