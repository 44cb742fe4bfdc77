package transport

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"time"
)

// outage is the failure of an attempt that shows that the service is down: no connection, or 502, 503, 504 from something
// in front of the query engine. It is nil for everything else.
//
// The engine itself answers 503 as well, when one query takes too long: a Prometheus error, with an errorType. That, a
// request that waited too long for its turn or for its response, and one whose caller went away show nothing about others.
func (s Service) outage(ctx context.Context, resp *http.Response, err error) *Error {
	if err != nil {
		if _, hasItsOwnKind := s.classify(err); hasItsOwnKind || gaveUp(ctx) {
			return nil
		}
		return s.fromError(err)
	}
	switch resp.StatusCode {
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		if peekErrorBody(resp).errorType != "" || gaveUp(ctx) {
			return nil
		}
		return s.fromStatus(resp.StatusCode, "", 0)
	}
	return nil
}

// gaveUp reports whether a request ended on the caller's side. The deadline is compared as well, because net/http cancels
// a request by a timer of its own, which can be a moment earlier than the context's.
func gaveUp(ctx context.Context) bool {
	deadline, ok := ctx.Deadline()
	return ctx.Err() != nil || ok && !time.Now().Before(deadline)
}

// peekedBody is a body whose beginning has been read, and is read again.
type peekedBody struct {
	io.Reader
	io.Closer
	parsed errorBody
}

// peekErrorBody finds what the platform says about a failure, and leaves the body as it was.
func peekErrorBody(resp *http.Response) errorBody {
	if peeked, ok := resp.Body.(*peekedBody); ok {
		return peeked.parsed
	}
	// What could be read is good enough; reading on brings the same error.
	beginning, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
	peeked := &peekedBody{Reader: io.MultiReader(bytes.NewReader(beginning), resp.Body), Closer: resp.Body, parsed: parseFailedBody(beginning)}
	resp.Body = peeked
	return peeked.parsed
}
