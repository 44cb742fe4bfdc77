package faults

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// certificate is self-signed, and valid for clients that trust it as an authority.
func certificate(t *testing.T, template x509.Certificate) (tls.Certificate, string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template.SerialNumber, template.Subject = big.NewInt(1), pkix.Name{CommonName: "faults"}
	template.IsCA, template.BasicConstraintsValid = true, true
	template.KeyUsage = x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign
	if template.NotBefore.IsZero() {
		template.NotBefore, template.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	}
	der, err := x509.CreateCertificate(rand.Reader, &template, &template, &key.PublicKey, key)
	require.NoError(t, err)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key},
		string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

// secure serves TLS with a certificate that the data source trusts or not.
func secure(template x509.Certificate, trusted bool) func(*testing.T, http.Handler) target {
	return func(t *testing.T, platform http.Handler) target {
		t.Helper()
		pair, authority := certificate(t, template)
		server := httptest.NewUnstartedServer(platform)
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
	here := []net.IP{net.IPv4(127, 0, 0, 1)}
	return []fault{
		{group: group, name: "expired certificate", serve: secure(x509.Certificate{
			IPAddresses: here, NotBefore: time.Now().Add(-2 * time.Hour), NotAfter: time.Now().Add(-time.Hour),
		}, true)},
		{group: group, name: "certificate for another host", serve: secure(x509.Certificate{DNSNames: []string{"other.example"}}, true)},
		{group: group, name: "untrusted authority", serve: secure(x509.Certificate{IPAddresses: here}, false)},
		{group: group, name: "port without TLS", serve: notSecure},
		{group: group, name: "trusted authority", complete: true, serve: secure(x509.Certificate{IPAddresses: here}, true)},
	}
}
