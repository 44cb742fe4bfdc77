package transport

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"sync/atomic"
	"time"
)

// outage is the error of an attempt that shows that the service is down: no connection, or 502, 503, 504 from an
// intermediary before the query engine. It is nil for everything else.
//
// These are no outages, because they depend on one request: a 503 of the engine itself after a query's time limit, which has
// an errorType, a 504 of an intermediary that waited for the engine, a timeout of the concurrency limit or of the response, and
// a cancellation.
func (s Service) outage(ctx context.Context, resp *http.Response, err error) *Error {
	if err != nil {
		if _, classified := s.classify(err); classified || gaveUp(ctx) {
			return nil
		}
		return s.fromError(err)
	}
	switch resp.StatusCode {
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		if peekErrorBody(resp).errorType != "" || gaveUp(ctx) || resp.StatusCode == http.StatusGatewayTimeout && waited(resp) {
			return nil
		}
		return s.fromStatus(resp.StatusCode, "", 0)
	}
	return nil
}

// longWait is how long an intermediary waits that has a connection to the engine: to the next hop in a network of servers, a
// connection is refused or established within a small part of it.
const longWait = time.Second

type sentKey struct{}

// lastSent is when the last attempt of a request was sent.
type lastSent struct{ at atomic.Pointer[time.Time] }

// took is how long ago the last attempt of a context's request was sent; 0 if nothing was.
func took(ctx context.Context) time.Duration {
	if last, ok := ctx.Value(sentKey{}).(*lastSent); ok {
		if at := last.at.Load(); at != nil {
			return time.Since(*at)
		}
	}
	return 0
}

// Took is how long ago the attempt was sent that a response of [Client.Do] is to: once its body is read, how long the service took.
func Took(resp *http.Response) time.Duration {
	return took(resp.Request.Context())
}

// waited reports whether a response came so late that the engine was at work on the request.
func waited(resp *http.Response) bool { return Took(resp) >= longWait }

// gaveUp reports whether the caller canceled a request or its deadline has passed. It compares the deadline too, because
// net/http cancels a request by its own timer, which may fire before that of the context.
func gaveUp(ctx context.Context) bool {
	deadline, ok := ctx.Deadline()
	return ctx.Err() != nil || ok && !time.Now().Before(deadline)
}

// peekedBody is a body whose beginning has been parsed and can be read again.
type peekedBody struct {
	io.Reader
	io.Closer
	parsed errorBody
}

// peekErrorBody parses the body of an error response, which can be read again afterwards.
func peekErrorBody(resp *http.Response) errorBody {
	if peeked, ok := resp.Body.(*peekedBody); ok {
		return peeked.parsed
	}
	// The error is ignored: reading further returns it again.
	beginning, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
	peeked := &peekedBody{Reader: io.MultiReader(bytes.NewReader(beginning), resp.Body), Closer: resp.Body, parsed: parseFailedBody(beginning)}
	resp.Body = peeked
	return peeked.parsed
}
