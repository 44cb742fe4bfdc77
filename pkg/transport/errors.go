package transport

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend/httpclient"
)

// The kinds of failure. Match them with errors.Is; the sentence for the user is in the [Error] that carries the kind.
var (
	// ErrCredential: the platform refused the credential (401, 403).
	ErrCredential = errors.New("credential refused")
	// ErrNotFound: no such path (404), or the path does not take this method (405).
	ErrNotFound = errors.New("not found")
	// ErrBadRequest: the platform understood the request and can't run it, a PromQL error for example (400, 422).
	ErrBadRequest = errors.New("bad request")
	// ErrRateLimited: too many requests (429).
	ErrRateLimited = errors.New("rate limited")
	// ErrRefused: any other 4xx.
	ErrRefused = errors.New("refused")
	// ErrUnavailable: the service failed (5xx) or can't be reached.
	ErrUnavailable = errors.New("unavailable")
	// ErrTimeout: no complete answer within the time allowed.
	ErrTimeout = errors.New("timed out")
	// ErrCanceled: whoever asked no longer wants the answer.
	ErrCanceled = errors.New("canceled")
	// ErrMalformed: the answer is not what the service's interface promises: HTML, cut or broken JSON.
	ErrMalformed = errors.New("malformed answer")
	// ErrTooLarge: the answer is over the response limit.
	ErrTooLarge = errors.New("answer too large")
	// ErrRedirect: the service redirects to another origin, where its credential must not go.
	ErrRedirect = errors.New("redirected elsewhere")
)

// Error is a failed call to a service.
type Error struct {
	// Kind is one of this package's Err values.
	Kind error
	// Status is the HTTP status the platform answered with, 0 if there was no answer.
	Status int
	// RetryAfter is how long the platform asked to wait, 0 if it did not say.
	RetryAfter time.Duration
	// Message is the sentence for the user.
	Message string
}

func (e *Error) Error() string { return e.Message }

// Unwrap makes errors.Is(err, ErrTimeout) and its like work. The cause isn't kept: its text may hold an address.
func (e *Error) Unwrap() error { return e.Kind }

// Service names a service of the platform in messages to the user.
type Service struct {
	// Name is the service's in metrics, logs and spans: "metrics".
	Name string
	// Title starts a sentence: "The metrics endpoint".
	Title string
	// Credential is what the service is given: "monitoring token".
	Credential string
	// AccountWide tells that the service's address names no project.
	AccountWide bool
	// Signed tells that a request counts only near the time that is signed with it.
	Signed bool
	// Section is the section of the data source's settings where it is set: "Metrics".
	Section string
	// Secrets are redacted should the platform ever echo one, in messages and in data.
	Secrets []string
	// Private is redacted in messages only: values of custom headers, for example, which data may well hold.
	Private []string
	// Host is where the service is. Messages don't repeat it.
	Host string
}

// Malformed is the error for an answer of s that can't be understood; what says how, without quoting the answer.
func (s Service) Malformed(status int, what string) *Error {
	return &Error{Kind: ErrMalformed, Status: status, Message: s.Title + " " + what}
}

// Rejected is the error for a request that the service itself turned down with a reason of its own.
func (s Service) Rejected(status int, reason string) *Error {
	if strings.TrimSpace(reason) == "" {
		reason = s.Title + " rejected the request without saying why."
	}
	return &Error{Kind: ErrBadRequest, Status: status, Message: shorten(s.redact(reason), maxRejection)}
}

// fromError explains a call that brought no answer, or an answer that could not be read to its end.
// The cause's own text is never shown: Go's network errors hold the full address and the query.
func (s Service) fromError(err error) *Error {
	if explained, ok := s.classify(err); ok {
		return explained
	}
	return &Error{Kind: ErrUnavailable, Message: s.Title + " can't be reached: " + causeOf(err).String() + "."}
}

// classify explains the failures that have a kind of their own, wherever in a response they occur.
func (s Service) classify(err error) (*Error, bool) {
	var known *Error
	var timeout net.Error
	switch {
	case errors.As(err, &known):
		return known, true
	case errors.Is(err, errRedirectElsewhere):
		return &Error{Kind: ErrRedirect, Message: s.Title + " redirects to another host. That is refused, " +
			"because the " + s.Credential + " would go there too. Set the final address in the data source's settings."}, true
	case errors.Is(err, errRedirectLoop):
		return &Error{Kind: ErrUnavailable, Message: s.Title + " redirects in a circle. Check the addresses in the data source's settings."}, true
	case errors.Is(err, httpclient.ErrResponseBodyTooLarge):
		return &Error{Kind: ErrTooLarge, Message: s.Title + " sent more than the response limit allows. " +
			"Ask for less, such as fewer series or a shorter range, or raise Largest answer in the data source's settings, section Advanced."}, true
	case errors.Is(err, context.Canceled):
		return &Error{Kind: ErrCanceled, Message: "The request to " + lowerFirst(s.Title) + " was canceled."}, true
	case isConnectTimeout(err):
		return nil, false
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return &Error{Kind: ErrTimeout, Message: s.Title + " did not answer in time. " +
			"Ask for a shorter range or raise the timeout in the data source's settings, section Advanced."}, true
	}
	return nil, false
}

// fromStatus explains an answer that is not 2xx. reason is the platform's own message, or empty.
func (s Service) fromStatus(status int, reason string, retryAfter time.Duration) *Error {
	e := &Error{Status: status, RetryAfter: retryAfter}
	switch {
	case status < http.StatusBadRequest:
		e.Kind = ErrMalformed
		e.Message = fmt.Sprintf("%s answered with %d, which leads nowhere, instead of data.", s.Title, status)
	case status == http.StatusUnauthorized:
		e.Kind = ErrCredential
		e.Message = fmt.Sprintf("The platform refused the %s (401). Set a valid one in the data source's settings, section %s.", s.Credential, s.Section)
	case status == http.StatusForbidden:
		e.Kind = ErrCredential
		e.Message = fmt.Sprintf("The platform accepted the %s but does not allow it to do this (403). "+
			"Check it%s.", s.Credential, s.where())
	case status == http.StatusNotFound, status == http.StatusMethodNotAllowed:
		e.Kind = ErrNotFound
		e.Message = fmt.Sprintf("%s was not found on the platform (%d). Check %s.", s.Title, status, s.address())
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
		e.Message = fmt.Sprintf("%s refused the request (%d)%s", s.Title, status, s.because(reason))
	}
	return e
}

// timedOut says that the service, or the engine behind it, gave a query up.
func (s Service) timedOut(status int, reason string) *Error {
	return &Error{Kind: ErrTimeout, Status: status, Message: fmt.Sprintf("%s timed out (%d)%s", s.Title, status, s.because(reason))}
}

// where is what decides what a credential may do, and where it is set.
func (s Service) where() string {
	if s.AccountWide {
		return " in the data source's settings, section " + s.Section
	}
	return ", and the project id, in the data source's settings, sections Connection and " + s.Section
}

// address is what leads to the service.
func (s Service) address() string {
	if s.AccountWide {
		return "its address in the data source's settings, section " + s.Section
	}
	return "the addresses and the project id in the data source's settings"
}

// because appends the platform's own words to a sentence, or ends the sentence.
func (s Service) because(reason string) string {
	if reason = s.sanitize(reason); reason == "" {
		return "."
	}
	return ": " + reason
}

func waiting(d time.Duration) string {
	if d <= 0 {
		return ". Try again in a moment, or ask less often."
	}
	return fmt.Sprintf(" and asks to wait %s.", d.Round(time.Second))
}
