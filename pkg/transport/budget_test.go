package transport_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

func TestShares(t *testing.T) {
	for name, test := range map[string]struct{ needs, shares []int }{
		"one query":                             {[]int{8}, []int{600}},
		"who needs less leaves the rest":        {[]int{8, 600, 8}, []int{8, 584, 8}},
		"equal shares of what is left":          {[]int{600, 100, 600, 8}, []int{246, 100, 246, 8}},
		"what nobody needs is divided equally":  {[]int{8, 100}, []int{254, 346}},
		"nobody gets more than an equal share ": {[]int{600, 600, 600}, []int{200, 200, 200}},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, test.shares, transport.Shares(test.needs)) })
	}
	total, needs := 0, make([]int, 100)
	for i := range needs {
		needs[i] = 8 + i%3*296
	}
	for _, share := range transport.Shares(needs) {
		require.GreaterOrEqual(t, share, 6)
		total += share
	}
	require.LessOrEqual(t, total, transport.MaxRequests)
}

// Each request counts for the budget of its context and for that of the whole, whatever its result. One more is not sent.
func TestBudget_CountedWhereSent(t *testing.T) {
	sent := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent++
		http.NotFound(w, r)
	}))
	defer server.Close()
	client := newClient(t, nil)
	send := func(ctx context.Context) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL, nil)
		require.NoError(t, err)
		_, err = client.Do(req) //nolint:bodyclose // there is none
		return err
	}
	whole := transport.WithBudget(t.Context(), 5)
	part := transport.WithBudget(whole, 3)
	for range 3 {
		require.ErrorIs(t, send(part), transport.ErrNotFound)
	}
	require.ErrorIs(t, send(part), transport.ErrBudget)
	require.Equal(t, 2, transport.Left(whole))
	require.Zero(t, transport.Left(part))
	for range 2 {
		require.ErrorIs(t, send(whole), transport.ErrNotFound)
	}
	require.ErrorIs(t, send(whole), transport.ErrBudget)
	require.ErrorIs(t, send(transport.WithoutBudget(whole)), transport.ErrNotFound)
	require.Equal(t, 6, sent)
}
