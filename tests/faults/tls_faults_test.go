package faults

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

// secure serves TLS with a certificate of this machine, with changes, that the data source trusts or not.
func secure(trusted bool, changes ...func(*x509.Certificate)) func(*testing.T, http.Handler) target {
	return func(t *testing.T, handler http.Handler) target {
		t.Helper()
		pair, authority, err := platform.NewCertificate(changes...)
		require.NoError(t, err)
		server := httptest.NewUnstartedServer(handler)
		server.Config.ErrorLog = discardLog
		server.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
		server.StartTLS()
		t.Cleanup(server.Close)
		p := target{address: server.URL}
		if trusted {
			p.settings = values{"tlsAuthWithCACert": true}
			p.secrets = map[string]string{"tlsCACert": authority}
		}
		return p
	}
}

func notSecure(t *testing.T, platform http.Handler) target {
	t.Helper()
	server := httptest.NewServer(platform)
	server.Config.ErrorLog = discardLog
	t.Cleanup(server.Close)
	return target{address: "https" + server.URL[len("http"):]}
}

func tlsFaults() []fault {
	const group = "TLS fails"
	expired := func(c *x509.Certificate) {
		c.NotBefore, c.NotAfter = time.Now().Add(-2*time.Hour), time.Now().Add(-time.Hour)
	}
	elsewhere := func(c *x509.Certificate) { c.DNSNames, c.IPAddresses = []string{"other.example"}, nil }
	return []fault{
		{group: group, name: "expired certificate", serve: secure(true, expired)},
		{group: group, name: "certificate for another host", serve: secure(true, elsewhere)},
		{group: group, name: "untrusted authority", serve: secure(false)},
		{group: group, name: "port without TLS", serve: notSecure},
		{group: group, name: "trusted authority", complete: true, serve: secure(true)},
	}
}
