package transport

import (
	"context"
	"errors"
	"net"

	"github.com/grafana/grafana-plugin-sdk-go/backend/httpclient"
)

// fromError explains a call that brought no answer, or an answer that could not be read to its end.
// The cause's own text is never shown: Go's network errors hold the full address and the query.
func (s Service) fromError(err error) *Error {
	if explained, ok := s.interrupted(err); ok {
		return explained
	}
	return &Error{Kind: ErrUnavailable, Message: s.Title + " can't be reached: " + causeOf(err).String() + "."}
}

// interrupted explains the failures that have a kind of their own, wherever in a response they occur.
func (s Service) interrupted(err error) (*Error, bool) {
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
