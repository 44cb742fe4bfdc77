// Package process runs a Grafana backend plugin, over the protocol and with the environment that Grafana itself uses.
package process

import (
	"fmt"
	"os"
	"os/exec"

	"github.com/grafana/grafana-plugin-sdk-go/backend/grpcplugin"
	"github.com/grafana/grafana-plugin-sdk-go/experimental/datasourcetest"
	"github.com/grafana/grafana-plugin-sdk-go/genproto/pluginv2"
	"github.com/hashicorp/go-hclog"
	goplugin "github.com/hashicorp/go-plugin"
)

// passedOn lists the host's variables that reach the backend: proxies, certificates and what the operating
// system needs to start a process. Everything else, credentials included, stays here, as it does in Grafana.
var passedOn = []string{
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy",
	"SSL_CERT_FILE", "SSL_CERT_DIR", "TMPDIR", "TMP", "TEMP", "SystemRoot",
}

// Backend is one backend process. Its methods are safe for concurrent use.
type Backend struct {
	datasourcetest.TestPluginClient
	process *goplugin.Client
}

// Start runs the backend's executable under a version of Grafana, and returns once it has sent its handshake. The log receives the
// backend's own lines and the host's notes about it.
func Start(path, grafanaVersion string, log hclog.Logger) (*Backend, error) {
	cmd := exec.Command(path) //nolint:noctx // Stop ends it
	cmd.Env = []string{"GF_VERSION=" + grafanaVersion}
	for _, name := range passedOn {
		if value, ok := os.LookupEnv(name); ok {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	process := goplugin.NewClient(&goplugin.ClientConfig{
		Cmd:         cmd,
		SkipHostEnv: true,
		HandshakeConfig: goplugin.HandshakeConfig{
			ProtocolVersion:  grpcplugin.ProtocolVersion,
			MagicCookieKey:   grpcplugin.MagicCookieKey,
			MagicCookieValue: grpcplugin.MagicCookieValue,
		},
		VersionedPlugins: map[int]goplugin.PluginSet{grpcplugin.ProtocolVersion: {}},
		AllowedProtocols: []goplugin.Protocol{goplugin.ProtocolGRPC},
		Logger:           log,
	})
	protocol, err := process.Client()
	if err != nil {
		process.Kill()
		return nil, fmt.Errorf("start %s: %w", path, err)
	}
	client, ok := protocol.(*goplugin.GRPCClient)
	if !ok {
		process.Kill()
		return nil, fmt.Errorf("start %s: it speaks %T", path, protocol)
	}
	return &Backend{process: process, TestPluginClient: datasourcetest.TestPluginClient{
		DataClient:        pluginv2.NewDataClient(client.Conn),
		ResourceClient:    pluginv2.NewResourceClient(client.Conn),
		DiagnosticsClient: pluginv2.NewDiagnosticsClient(client.Conn),
	}}, nil
}

// Stop ends the process, and returns when it has ended.
func (b *Backend) Stop() { b.process.Kill() }
