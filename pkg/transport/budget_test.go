package transport_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

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
		_, err := client.Send(ctx, parsed(t, server.URL), nil) //nolint:bodyclose // there is none
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
	require.ErrorIs(t, send(transport.Paced(whole)), transport.ErrNotFound)
	require.Equal(t, 6, sent)
}
