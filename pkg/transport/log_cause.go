package transport

import (
	"context"
	"errors"
	"fmt"

	"github.com/grafana/grafana-plugin-sdk-go/backend/log"
)

// logCause logs the error of Go's network stack, whose type and, if it is of no known kind, text the message for the user does not
// contain. The log has neither the address of the request, which may hold a query, nor any other address.
func (s Service) logCause(ctx context.Context, what string, err error) {
	inner := err // outer ones contain addresses
	for next := errors.Unwrap(inner); next != nil; next = errors.Unwrap(inner) {
		inner = next
	}
	text := causeOf(err).text
	if causeOf(err) == causeUnknown {
		text = s.sanitize(inner.Error())
	}
	log.DefaultLogger.FromContext(ctx).Warn(what, "service", s.Name, "cause", fmt.Sprintf("%s (%T)", text, inner))
}
