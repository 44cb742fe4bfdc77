package transport

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"syscall"

	"github.com/grafana/grafana-plugin-sdk-go/backend/httpclient"
)

// fromError explains a call that brought no answer, or an answer that could not be read to its end.
// The cause's own text is never shown: Go's network errors hold the full address and the query.
func (s Service) fromError(err error) *Error {
	var known *Error
	if errors.As(err, &known) {
		return known
	}
	if explained, ok := s.interrupted(err); ok {
		return explained
	}
	return &Error{Kind: ErrUnavailable, Message: s.Title + " can't be reached: " + unreachable(err) + "."}
}

// interrupted explains the failures that have a kind of their own.
func (s Service) interrupted(err error) (*Error, bool) {
	var timeout net.Error
	switch {
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
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return &Error{Kind: ErrTimeout, Message: s.Title + " did not answer in time. " +
			"Ask for a shorter range or raise the timeout in the data source's settings, section Advanced."}, true
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, errCompression):
		return s.Malformed(0, "sent an answer that breaks off before its end."), true
	}
	return nil, false
}

// unreachable says in a few words why there was no connection, for the causes a user can do something about.
func unreachable(err error) string {
	var (
		dns         *net.DNSError
		unknownCA   x509.UnknownAuthorityError
		wrongHost   x509.HostnameError
		invalidCert x509.CertificateInvalidError
		handshake   *tls.CertificateVerificationError
		notTLS      tls.RecordHeaderError
	)
	switch {
	case errors.As(err, &dns):
		return "its host name is not known"
	case errors.As(err, &unknownCA):
		return "its TLS certificate is signed by an authority that is not trusted here"
	case errors.As(err, &wrongHost):
		return "its TLS certificate is for another host"
	case errors.As(err, &invalidCert) && invalidCert.Reason == x509.Expired:
		return "its TLS certificate has expired or is not valid yet"
	case errors.As(err, &handshake):
		return "its TLS certificate is not valid"
	case errors.As(err, &notTLS), errors.Is(err, http.ErrSchemeMismatch):
		return "it does not speak TLS on this port"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "the connection was refused"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, io.EOF):
		return "the connection was closed before an answer came"
	}
	return "the connection failed"
}
