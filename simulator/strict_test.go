package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"io"
	"net/http"
	"testing"
	"time"
)

func TestRun_TLS(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	reader, writer := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- run(ctx, []string{"-listen", "127.0.0.1:0", "-json", "-nodes", "1", "-tls"}, writer) }()
	line, err := bufio.NewReader(reader).ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	var a access
	roots := x509.NewCertPool()
	if err := json.Unmarshal(line, &a); err != nil || !roots.AppendCertsFromPEM([]byte(a.Certificate)) {
		t.Fatalf("%s: %v", line, err)
	}
	client := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true}}
	r, _ := http.NewRequest(http.MethodGet, a.MetricsURL+"?query=1", nil)
	r.Header.Set("Authorization", "Bearer "+a.MonitoringToken)
	response, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusOK || response.ProtoMajor != 2 {
		t.Errorf("%s %s", response.Proto, response.Status)
	}
	if err := run(ctx, []string{"-healthcheck", "-tls", "-listen", a.Address[len("https://"):]}, io.Discard); err != nil {
		t.Error(err)
	}
	client.CloseIdleConnections()
	stop()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Error("still running")
	}
}
