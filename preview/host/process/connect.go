package process

import (
	"fmt"
	"strings"

	"github.com/grafana/grafana-plugin-sdk-go/backend/grpcplugin"
	goplugin "github.com/hashicorp/go-plugin"
)

// handshake is the agreement between Grafana and its backend plugins; a binary started without it refuses to serve.
var handshake = goplugin.HandshakeConfig{
	ProtocolVersion:  grpcplugin.ProtocolVersion,
	MagicCookieKey:   grpcplugin.MagicCookieKey,
	MagicCookieValue: grpcplugin.MagicCookieValue,
}

var services = goplugin.PluginSet{
	"data":        &grpcplugin.DataGRPCPlugin{},
	"resource":    &grpcplugin.ResourceGRPCPlugin{},
	"diagnostics": &grpcplugin.DiagnosticsGRPCPlugin{},
}

// passedOn lists the host's variables that reach the backend: proxies, certificates and what the operating
// system needs to start a process. Everything else, credentials included, stays here, as it does in Grafana.
var passedOn = []string{
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy",
	"SSL_CERT_FILE", "SSL_CERT_DIR", "TMPDIR", "TMP", "TEMP", "SystemRoot",
}

func environment(grafanaVersion string, lookup func(string) (string, bool)) []string {
	env := []string{"GF_VERSION=" + strings.TrimSpace(grafanaVersion)}
	for _, name := range passedOn {
		if value, ok := lookup(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

func connect(process *goplugin.Client) (*Clients, error) {
	protocol, err := process.Client()
	if err != nil {
		return nil, err
	}
	data, err := dispense[grpcplugin.DataClient](protocol, "data")
	if err != nil {
		return nil, err
	}
	resource, err := dispense[grpcplugin.ResourceClient](protocol, "resource")
	if err != nil {
		return nil, err
	}
	diagnostics, err := dispense[grpcplugin.DiagnosticsClient](protocol, "diagnostics")
	if err != nil {
		return nil, err
	}
	return &Clients{Data: data, Resource: resource, Diagnostics: diagnostics}, nil
}

func dispense[Client any](protocol goplugin.ClientProtocol, name string) (Client, error) {
	var none Client
	raw, err := protocol.Dispense(name)
	if err != nil {
		return none, fmt.Errorf("connect to the %s service: %w", name, err)
	}
	client, ok := raw.(Client)
	if !ok {
		return none, fmt.Errorf("connect to the %s service: unexpected client %T", name, raw)
	}
	return client, nil
}
