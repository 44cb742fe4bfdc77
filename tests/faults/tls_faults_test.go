package faults

import (
	"crypto"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// secure serves TLS with a certificate of this machine's address, with changes, that the data source trusts or not.
func secure(trusted bool, changes ...func(*x509.Certificate)) func(*testing.T, http.Handler) target {
	return func(t *testing.T, handler http.Handler) target {
		t.Helper()
		server := httptest.NewUnstartedServer(handler)
		server.Config.ErrorLog = discardLog
		server.StartTLS()
		t.Cleanup(server.Close)
		own, template := &server.TLS.Certificates[0], *server.Certificate()
		for _, change := range changes {
			change(&template)
		}
		signed, err := x509.CreateCertificate(rand.Reader, &template, &template, own.PrivateKey.(crypto.Signer).Public(), own.PrivateKey)
		require.NoError(t, err)
		*own = tls.Certificate{Certificate: [][]byte{signed}, PrivateKey: own.PrivateKey}
		p := target{address: server.URL}
		if trusted {
			p.settings = values{"tlsAuthWithCACert": true}
			p.secrets = map[string]string{"tlsCACert": string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signed}))}
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
	expired := func(c *x509.Certificate) {
		c.NotBefore, c.NotAfter = time.Now().Add(-2*time.Hour), time.Now().Add(-time.Hour)
	}
	elsewhere := func(c *x509.Certificate) { c.DNSNames, c.IPAddresses = []string{"other.example"}, nil }
	return []fault{
		{name: "expired certificate", serve: secure(true, expired)},
		{name: "certificate for another host", serve: secure(true, elsewhere)},
		{name: "untrusted authority", serve: secure(false)},
		{name: "port without TLS", serve: notSecure},
		{name: "trusted authority", complete: true, serve: secure(true)},
	}
}
