package transport

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"syscall"

	"github.com/grafana/grafana-plugin-sdk-go/backend/log"
	"golang.org/x/net/http2"
)

// cause is the reason for a request without a response. Retries, the circuit breaker and messages depend on it.
type cause struct {
	// text ends the sentence "… can't be reached: ".
	text string
	// transient reports whether another attempt may succeed.
	transient bool
}

// unknown is any other network error, for example that of a closed HTTP/2 connection, which net/http does not export.
var unknown = cause{"the connection failed", true}

// causeOf classifies the error of a round trip that was neither canceled nor past its deadline.
func causeOf(err error) cause {
	switch {
	case isConnectTimeout(err):
		return cause{"the connection was not established in time", true}
	case is[*net.DNSError](err):
		return cause{"its host name is not known", false}
	case is[*tls.CertificateVerificationError](err):
		return cause{"its TLS certificate is not trusted here, is for another host, or is out of date", false}
	case is[tls.RecordHeaderError](err), errors.Is(err, http.ErrSchemeMismatch):
		return cause{"it does not speak TLS on this port", false}
	case errors.Is(err, syscall.ECONNREFUSED):
		return cause{"the connection was refused", true}
	case is[http2.StreamError](err), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF),
		errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return cause{"the connection was closed before a response came", true}
	}
	return unknown
}

// is reports whether an error is of a type, or wraps one that is. net/http's unexported type for reset streams can be an [http2.StreamError].
func is[T error](err error) bool {
	_, ok := errors.AsType[T](err)
	return ok
}

// isConnectTimeout distinguishes a timeout of connecting from one of waiting for the response. Package net reports both as
// context.DeadlineExceeded.
func isConnectTimeout(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial" && op.Timeout()
}

// logCause logs the error of Go's network stack, whose type and, if it is of no known kind, text the message for the user does not
// contain. The log has neither the address of the request, which may hold a query, nor any other address.
func (s Service) logCause(ctx context.Context, what string, err error) {
	inner := err // outer ones contain addresses
	for next := errors.Unwrap(inner); next != nil; next = errors.Unwrap(inner) {
		inner = next
	}
	text := causeOf(err).text
	if causeOf(err) == unknown {
		text = s.sanitize(inner.Error())
	}
	log.DefaultLogger.FromContext(ctx).Warn(what, "service", s.Name, "cause", fmt.Sprintf("%s (%T)", text, inner))
}
