package faults

import (
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

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

func TestDispose_NoConnections(t *testing.T) {
	var open sync.Map
	server := httptest.NewUnstartedServer(healthy())
	server.Config.ConnState = func(conn net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew:
			open.Store(conn, true)
		case http.StateClosed:
			open.Delete(conn)
		}
	}
	server.Start()
	defer server.Close()
	ds := newDatasource(t, server.URL, nil, nil)
	for _, d := range endpoints {
		require.False(t, d.call(t.Context(), ds).failed, "%s, %s", d.service, d.name)
	}
	require.NotZero(t, connections(&open), "connections are kept for the next question")

	ds.Dispose()

	require.Eventually(t, func() bool { return connections(&open) == 0 }, 10*time.Second, 10*time.Millisecond)
}

func connections(open *sync.Map) (n int) {
	open.Range(func(any, any) bool { n++; return true })
	return n
}
