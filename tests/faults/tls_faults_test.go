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

// certificate is signed by itself, so that whoever trusts it as an authority accepts it.
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

// secure serves over TLS, by a certificate that the data source is told to trust or not.
func secure(template x509.Certificate, trusted bool) func(*testing.T, http.Handler) place {
	return func(t *testing.T, platform http.Handler) place {
		t.Helper()
		pair, authority := certificate(t, template)
		server := httptest.NewUnstartedServer(platform)
		server.Config.ErrorLog = quiet
		server.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
		server.StartTLS()
		t.Cleanup(server.Close)
		p := place{address: server.URL}
		if trusted {
			p.settings = values{"tlsAuthWithCACert": true}
			p.secrets = map[string]string{"tlsCACert": authority}
		}
		return p
	}
}

func notSecure(t *testing.T, platform http.Handler) place {
	t.Helper()
	server := httptest.NewServer(platform)
	server.Config.ErrorLog = quiet
	t.Cleanup(server.Close)
	return place{address: "https" + server.URL[len("http"):]}
}

func tlsFaults() []fault {
	const group = "TLS fails"
	here := []net.IP{net.IPv4(127, 0, 0, 1)}
	return []fault{
		{group: group, name: "a certificate that has expired", start: secure(x509.Certificate{
			IPAddresses: here, NotBefore: time.Now().Add(-2 * time.Hour), NotAfter: time.Now().Add(-time.Hour),
		}, true)},
		{group: group, name: "a certificate for another host", start: secure(x509.Certificate{DNSNames: []string{"other.example"}}, true)},
		{group: group, name: "an authority that isn't trusted", start: secure(x509.Certificate{IPAddresses: here}, false)},
		{group: group, name: "a port that does not speak TLS", start: notSecure},
		{group: group, name: "an authority that is trusted", whole: true, start: secure(x509.Certificate{IPAddresses: here}, true)},
	}
}
