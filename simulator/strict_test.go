package main

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"testing"
)

func TestRun_TLS(t *testing.T) {
	a, stop := running(t, "-nodes", "1", "-tls")
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM([]byte(a.Certificate)) {
		t.Fatalf("%+v", a)
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
	if err := run(t.Context(), []string{"-healthcheck", "-tls", "-listen", a.Address[len("https://"):]}, io.Discard); err != nil {
		t.Error(err)
	}
	client.CloseIdleConnections()
	stop()
}
