package transport

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend/httpclient"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/panics"
)

// The kinds of failure, for errors.Is. The [Error] of the kind has the message for the user, and the text here is its name in metrics,
// logs and spans.
var (
	// ErrCredential: the platform refused the credential (401, 403).
	ErrCredential = errors.New("credential")
	// ErrNotFound: no such path (404), or the path does not take this method (405).
	ErrNotFound = errors.New("not_found")
	// ErrBadRequest: the platform can't run the request, for example because of a PromQL error (400, 422).
	ErrBadRequest = errors.New("bad_request")
	// ErrRateLimited: too many requests (429).
	ErrRateLimited = errors.New("rate_limited")
	// ErrRefused: any other 4xx.
	ErrRefused = errors.New("refused")
	// ErrUnavailable: the service failed (5xx) or can't be reached.
	ErrUnavailable = errors.New("unavailable")
	// ErrTimeout: no complete response before the deadline.
	ErrTimeout = errors.New("timeout")
	// ErrConcurrency: the request was not sent, because the limit of concurrent requests was reached until its deadline was near.
	ErrConcurrency = errors.New("concurrency")
	// ErrCanceled: the caller canceled the request.
	ErrCanceled = errors.New("canceled")
	// ErrMalformed: the response does not follow the service's interface: HTML, truncated or invalid JSON.
	ErrMalformed = errors.New("malformed")
	// ErrTooLarge: the response is over the response limit.
	ErrTooLarge = errors.New("too_large")
	// ErrRedirect: the service redirects to another address, which must not receive the credential (3xx).
	ErrRedirect = errors.New("redirect")
)

// Error is a failed request to a service.
type Error struct {
	// Kind is one of this package's Err values.
	Kind error
	// Status is the HTTP status of the response, 0 without a response.
	Status int
	// RetryAfter is the wait that the response requests, 0 for none.
	RetryAfter time.Duration
	// Took is how long the service had a request whose time was over, without waits for a permit or a retry; 0 for any other error.
	Took time.Duration
	// Message is for the user.
	Message string
	// outage reports that the service is down: there is no connection, or a 502, 503 or 504 of an intermediary before the query engine.
	// What depends on one request is none: a 503 of the engine itself after a query's time limit, which has an errorType, a 504 of an
	// intermediary that waited for the engine, a timeout, and a cancellation.
	outage bool
	// transient reports that another attempt may succeed.
	transient bool
	// cause is the error of a request without a response that is of no kind of its own, for the log.
	cause error
}

func (e *Error) Error() string { return e.Message }

// Unwrap returns the kind. The cause isn't wrapped, because its text may hold an address.
func (e *Error) Unwrap() error { return e.Kind }

// after is the error of a request that the service had for so long without a complete response. It is a copy: the cause of a canceled context
// is an error that others have.
func (e *Error) after(took time.Duration) *Error {
	own := *e
	if errors.Is(e, ErrTimeout) && e.Status == 0 {
		own.Took = took
	}
	return &own
}

// IsOutage reports an error that the request is not to blame for: another one may have a result while this one has none.
func IsOutage(err error) bool {
	others := []error{ErrBadRequest, ErrTooLarge, ErrCanceled, ErrBudget, panics.Err}
	return !slices.ContainsFunc(others, func(kind error) bool { return errors.Is(err, kind) })
}

// Service names a service of the platform in messages to the user.
type Service struct {
	// Name is the service's in metrics, logs and spans: "metrics".
	Name string
	// Title starts a sentence: "The metrics endpoint".
	Title string
	// Credential names the service's credential: "monitoring token".
	Credential string
	// Signed is true if requests carry a signature, which is valid only near its timestamp.
	Signed bool
	// Secrets are redacted in messages and in response bodies.
	Secrets []string
	// Private is redacted in messages only, longer ones before shorter ones. It has, for example, the values of custom headers, which may
	// be common words.
	Private []string
	// Host is the service's host. Messages don't contain it.
	Host string
	// Section is that of the data source's settings with its credential: "Metrics".
	Section string
}

// CheckAddress is what to do about a service that is not found, or is another one.
const CheckAddress = "Check its address, and the ids in it, in the data source's settings."

// Malformed is the error for a response that does not follow the interface of s. what completes a sentence that begins with
// the title of s, and does not quote the response.
func (s Service) Malformed(status int, what string) *Error {
	return &Error{Kind: ErrMalformed, Status: status, Message: s.Title + " " + what}
}

// TooLarge is the error for a response with more of something than is read. what completes a sentence that begins with the title of s.
func (s Service) TooLarge(what string) *Error {
	return &Error{Kind: ErrTooLarge, Message: s.Title + " " + what}
}

// maxRejection bounds an engine's message about a query, in bytes. It may quote the query, which can be long.
const maxRejection = 4000

// Rejected is the error for a request that the service rejects for the given reason.
func (s Service) Rejected(status int, reason string) *Error {
	if strings.TrimSpace(reason) == "" {
		reason = s.Title + " rejected the request without saying why."
	}
	return &Error{Kind: ErrBadRequest, Status: status, Message: s.Notice(reason)}
}

// Notice is a warning or an info of the service, without addresses and secrets.
func (s Service) Notice(text string) string {
	// What is far beyond the end of the result is not searched, which takes long.
	return Shorten(s.withoutAddresses(Shorten(text, 4*maxRejection)), maxRejection)
}

// fromError is the error for a request without a response, or without a complete one. It does not contain the text of err,
// because Go's network errors hold the address and the query. Failures without a kind of their own have a cause.
func (s Service) fromError(err error) *Error {
	var known *Error
	var timeout net.Error
	switch {
	case errors.As(err, &known):
		return known
	case errors.Is(err, httpclient.ErrResponseBodyTooLarge):
		return &Error{Kind: ErrTooLarge, Message: s.Title + " sent more than the response limit allows. Query less, such as fewer series or " +
			"a shorter range, or raise Largest response in the data source's settings, section Advanced."}
	case errors.Is(err, context.Canceled):
		return &Error{Kind: ErrCanceled, Message: "The request to " + lowerFirst(s.Title) + " was canceled."}
	case isConnectTimeout(err):
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return &Error{Kind: ErrTimeout, Message: s.Title +
			" did not respond in time. Choose a shorter range or raise the timeout in the data source's settings, section Advanced."}
	}
	return &Error{Kind: ErrUnavailable, Message: s.Title + " can't be reached: " + causeOf(err).text + ".", cause: err}
}

// fromStatus is the error for a response whose status is not 2xx. reason is the message in its body, or empty.
func (s Service) fromStatus(status int, reason string, retryAfter time.Duration) *Error {
	e := &Error{Status: status, RetryAfter: retryAfter}
	switch {
	case status < http.StatusBadRequest:
		e.Kind = ErrRedirect
		e.Message = fmt.Sprintf("%s redirects (%d) instead of sending data. That is refused, because the %s would go there too. "+
			"Set the final address in the data source's settings.", s.Title, status, s.Credential)
	case status == http.StatusUnauthorized:
		e.Kind = ErrCredential
		e.Message = fmt.Sprintf("The platform refused the %s (401). Set a valid one in the data source's settings, section %s.", s.Credential, s.Section)
	case status == http.StatusForbidden:
		e.Kind = ErrCredential
		e.Message = fmt.Sprintf("The platform accepted the %s but does not allow it to do this (403). Check it, and the ids in the address, in the data source's settings.", s.Credential)
	case status == http.StatusNotFound, status == http.StatusMethodNotAllowed:
		e.Kind = ErrNotFound
		e.Message = fmt.Sprintf("%s was not found on the platform (%d). %s", s.Title, status, CheckAddress)
	case status == http.StatusBadRequest, status == http.StatusUnprocessableEntity:
		e.Kind = ErrBadRequest
		e.Message = fmt.Sprintf("%s can't run this request (%d)%s", s.Title, status, s.because(reason))
	case status == http.StatusTooManyRequests:
		e.Kind = ErrRateLimited
		e.Message = fmt.Sprintf("The platform is rate limiting %s (429)%s", lowerFirst(s.Title), waiting(retryAfter))
	case status == http.StatusRequestTimeout, status == http.StatusGatewayTimeout:
		return s.timedOut(status, reason)
	case status >= 500:
		e.Kind = ErrUnavailable
		e.Message = fmt.Sprintf("%s failed (%d)%s", s.Title, status, s.because(reason))
	default:
		e.Kind = ErrRefused
		e.Message = fmt.Sprintf("%s refused the request (%d)%s", s.Title, status, s.because(cmp.Or(reason, http.StatusText(status))))
	}
	return e
}

// timedOut is the error for a query that the service, or the engine behind it, stopped after its own time limit.
func (s Service) timedOut(status int, reason string) *Error {
	return &Error{Kind: ErrTimeout, Status: status, Message: fmt.Sprintf("%s timed out (%d)%s", s.Title, status, s.because(reason))}
}

// because appends the platform's message to a sentence, or ends the sentence.
func (s Service) because(reason string) string {
	if reason = s.sanitize(reason); reason == "" {
		return "."
	}
	return ": " + reason
}

func waiting(d time.Duration) string {
	if d <= 0 {
		return ". Try again in a moment, or query less often."
	}
	return fmt.Sprintf(". Try again in %s.", d.Round(time.Second))
}

func lowerFirst(text string) string {
	return strings.ToLower(text[:1]) + text[1:]
}
