package mainapi

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"hash"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend/httpclient"
)

const (
	// signatureVersion is the first part of the Authorization value.
	signatureVersion = "1.0"
	// DefaultTimestampHeader carries the time that was signed.
	DefaultTimestampHeader = "X-Vendor-Timestamp"
)

// SecretKeyError is the error of a secret key that is not raw URL-safe base64. Its text does not contain the key.
type SecretKeyError struct{ Problem string }

func (e *SecretKeyError) Error() string { return "The secret key " + e.Problem }

// Signer signs requests to the main API. It is safe for concurrent use.
type Signer struct {
	accessKeyID string
	header      string
	hashes      sync.Pool
	now         func() time.Time
	forms       *formState
}

// NewSigner makes a signer with an access key. secret is raw URL-safe base64, that is, without padding; otherwise the error is
// a *[SecretKeyError]. header is the name of the header with the timestamp, [DefaultTimestampHeader] if empty.
func NewSigner(accessKeyID, secret, header string, now func() time.Time) (*Signer, error) {
	key, err := decodeSecret(secret)
	if err != nil {
		return nil, err
	}
	if header == "" {
		header = DefaultTimestampHeader
	}
	s := &Signer{accessKeyID: accessKeyID, header: http.CanonicalHeaderKey(header), now: now, forms: newFormState(now)}
	s.hashes.New = func() any { return hmac.New(sha256.New, key) }
	return s, nil
}

func decodeSecret(secret string) ([]byte, error) {
	key, err := base64.RawURLEncoding.Strict().DecodeString(secret)
	switch {
	case secret == "":
		return nil, &SecretKeyError{"is empty."}
	case err == nil:
		return key, nil
	case strings.HasSuffix(secret, "="):
		return nil, &SecretKeyError{`ends with "=": the platform's keys have no padding. Leave the "=" out.`}
	case strings.ContainsAny(secret, "+/"):
		return nil, &SecretKeyError{`contains "+" or "/": the platform's keys are URL-safe base64, with "-" and "_" instead.`}
	}
	return nil, &SecretKeyError{"is not base64. Copy it again, whole and without spaces."}
}

// Sign computes the signature of a request.
//
// path is the escaped path with its version, query the canonical query, verb the HTTP method as it is sent, timestamp the
// RFC 3339 time of the header. The payload is these four lines, each followed by a newline. The signature is its
// HMAC-SHA256 in raw URL-safe base64.
func (s *Signer) Sign(path, query, verb, timestamp string) string {
	payload := make([]byte, 0, 256)
	for _, line := range [...]string{path, query, verb, timestamp} {
		payload = append(append(payload, line...), '\n')
	}
	mac := s.hashes.Get().(hash.Hash)
	defer s.hashes.Put(mac)
	mac.Reset()
	mac.Write(payload)
	var sum [sha256.Size]byte
	return base64.RawURLEncoding.EncodeToString(mac.Sum(sum[:0]))
}

var errQuery = errors.New("the query can't be signed")

// Authorize signs each attempt of each request; it is a transport.Authorize.
//
// After a 401 it sends the request again with its query in the other forms, if they differ, once each, and uses the accepted
// form from then on. After a rejection of all forms it does not try others for 5 minutes.
func (s *Signer) Authorize(next http.RoundTripper) http.RoundTripper {
	return httpclient.RoundTripperFunc(func(req *http.Request) (*http.Response, error) {
		params, err := url.ParseQuery(req.URL.RawQuery)
		if err != nil {
			return nil, errQuery
		}
		send := func(f queryForm) (*http.Response, error) { return next.RoundTrip(s.signed(req, f.canonical(params))) }
		first := s.forms.current()
		resp, err := send(first)
		// A body can't be sent twice.
		if err != nil || resp.StatusCode != http.StatusUnauthorized || req.Body != nil || len(s.forms.others(params, first)) == 0 {
			return resp, err
		}
		if err := s.forms.search.Acquire(req.Context(), 1); err != nil {
			_ = resp.Body.Close()
			return nil, err
		}
		defer s.forms.search.Release(1)
		if !s.forms.searchAllowed() {
			return resp, nil
		}
		for _, f := range s.forms.others(params, first) {
			_ = resp.Body.Close()
			if resp, err = send(f); err != nil || resp.StatusCode != http.StatusUnauthorized {
				if err == nil && resp.StatusCode/100 == 2 {
					s.forms.accept(f)
				}
				return resp, err
			}
		}
		s.forms.rejectAll()
		return resp, nil
	})
}

// signed is a copy of a request with the signature and the present timestamp.
func (s *Signer) signed(req *http.Request, query canonicalQuery) *http.Request {
	req = req.Clone(req.Context())
	req.URL.RawQuery = query.sent
	timestamp := s.now().UTC().Format(time.RFC3339)
	signature := s.Sign(req.URL.EscapedPath(), query.signed, req.Method, timestamp)
	req.Header[s.header] = []string{timestamp}
	req.Header.Set("Authorization", "Bearer "+signatureVersion+":"+s.accessKeyID+":"+signature)
	return req
}
