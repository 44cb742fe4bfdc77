package transport

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"sync/atomic"
)

// MaxRequests bounds the requests to the platform and the archive that one request to the data source makes, however many queries it
// has. Retries have a budget of their own, and the details of jobs are read once for all queries.
const MaxRequests = 600

// ErrBudget says that the query would send more requests than its share of [MaxRequests].
var ErrBudget = errors.New("budget")

var overBudget = &Error{Kind: ErrBudget, Status: http.StatusBadRequest, Message: fmt.Sprintf(
	"A request makes at most %d requests to the platform, which its queries share, and this query needs more. Show fewer queries in a panel, or choose less.", MaxRequests)}

type allowance struct {
	left atomic.Int64
	// whole is the allowance that it is a part of, or nil.
	whole *allowance
}

type budgetKey struct{}

func allowanceOf(ctx context.Context) *allowance {
	b, _ := ctx.Value(budgetKey{}).(*allowance)
	return b
}

// WithBudget lets a context send n requests, of those that it might send before.
func WithBudget(ctx context.Context, n int) context.Context {
	b := &allowance{whole: allowanceOf(ctx)}
	b.left.Store(int64(n))
	return context.WithValue(ctx, budgetKey{}, b)
}

// Take counts a request that is about to be sent. Its error is an *[Error] of the kind [ErrBudget]. [Client.Send] calls it.
func Take(ctx context.Context) error {
	for b := allowanceOf(ctx); b != nil; b = b.whole {
		if b.left.Add(-1) < 0 {
			return overBudget
		}
	}
	return nil
}

// Left is how many requests a context may still send.
func Left(ctx context.Context) int {
	left := int64(math.MaxInt)
	for b := allowanceOf(ctx); b != nil; b = b.whole {
		left = min(left, max(0, b.left.Load()))
	}
	return int(left)
}
