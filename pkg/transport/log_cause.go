package transport

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net"

	"github.com/grafana/grafana-plugin-sdk-go/backend/log"
)

// logCause logs the error of Go's network stack, which the message for the user does not contain. The log has neither the
// address of the request, which may hold a query, nor any other address.
func (s Service) logCause(ctx context.Context, what string, err error) {
	log.DefaultLogger.FromContext(ctx).Warn(what, "service", s.Name, "cause", s.causeDetail(err))
}

// causeDetail is the innermost error of a chain, because the outer ones contain addresses. It has the error's type too,
// because many texts of net/http are ambiguous.
func (s Service) causeDetail(err error) string {
	inner := err
	for next := errors.Unwrap(inner); next != nil; next = errors.Unwrap(inner) {
		inner = next
	}
	var (
		op        *net.OpError
		dns       *net.DNSError
		wrongHost x509.HostnameError
	)
	text := inner.Error()
	switch {
	case errors.As(err, &dns):
		text = dns.Err
	case errors.As(err, &wrongHost): // its text contains host names
		text = causeOf(err).String()
	}
	if errors.As(err, &op) {
		text = op.Op + " " + op.Net + ": " + text
	}
	return fmt.Sprintf("%s (%T)", s.sanitize(text), inner)
}
