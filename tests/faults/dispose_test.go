package faults

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDispose_InFlightRequests(t *testing.T) {
	reached, goOn := make(chan struct{}), make(chan struct{})
	var once sync.Once
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		once.Do(func() { close(reached) })
		<-goOn
		healthy().ServeHTTP(w, r)
	}))
	defer server.Close()
	ds := newDatasource(t, server.URL, nil, nil)
	var got outcome
	var running sync.WaitGroup
	running.Go(func() {
		got = query(values{"expr": "DCGM_FI_DEV_GPU_UTIL"})(t.Context(), ds)
		once.Do(func() { close(reached) }) // it has failed before
	})
	<-reached

	ds.Dispose()
	close(goOn)

	running.Wait()
	require.False(t, got.failed, got.text)
	require.NotEmpty(t, got.complete)
}
