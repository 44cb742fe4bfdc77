package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"

	"github.com/grafana/grafana-plugin-sdk-go/backend/grpcplugin"
	"github.com/grafana/grafana-plugin-sdk-go/genproto/pluginv2"
	"github.com/hashicorp/go-hclog"
	goplugin "github.com/hashicorp/go-plugin"
)

// ErrNotRunning is returned once the backend has ended.
var ErrNotRunning = errors.New("the plugin's backend is not running")

// Clients are the three gRPC services of a backend that a data source needs.
type Clients struct {
	Data        pluginv2.DataClient
	Resource    pluginv2.ResourceClient
	Diagnostics pluginv2.DiagnosticsClient
}

// Config names the binary to run.
type Config struct {
	// Path of the backend's executable.
	Path string
	// GrafanaVersion is the version that the backend runs under, for example "13.1.1".
	GrafanaVersion string
	// Log receives the backend's own log lines and the host's notes about it.
	Log hclog.Logger
}

// Backend is one backend process. Its methods are safe for concurrent use.
type Backend struct {
	process *goplugin.Client
	clients Clients
	done    chan struct{}
}

// Start runs the backend and returns once it has sent its handshake. The process is stopped when ctx ends; Wait returns
// when that is done.
func Start(ctx context.Context, config Config) (*Backend, error) {
	cmd := exec.Command(config.Path) //nolint:gosec,noctx // running what it is given is what the host is for; go-plugin ends it
	cmd.Env = environment(config.GrafanaVersion, os.LookupEnv)
	b := &Backend{done: make(chan struct{}), process: goplugin.NewClient(&goplugin.ClientConfig{
		Cmd:              cmd,
		SkipHostEnv:      true,
		HandshakeConfig:  handshake,
		VersionedPlugins: map[int]goplugin.PluginSet{grpcplugin.ProtocolVersion: services},
		AllowedProtocols: []goplugin.Protocol{goplugin.ProtocolGRPC},
		Logger:           config.Log,
	})}
	clients, err := connect(b.process)
	if err != nil {
		b.process.Kill()
		return nil, fmt.Errorf("start %s: %w", config.Path, err)
	}
	b.clients = *clients
	context.AfterFunc(ctx, func() {
		b.process.Kill()
		close(b.done)
	})
	return b, nil
}

// Clients returns the connections to the process, or ErrNotRunning.
func (b *Backend) Clients() (Clients, error) {
	if b.process.Exited() {
		return Clients{}, ErrNotRunning
	}
	return b.clients, nil
}

// PID is the id of the process.
func (b *Backend) PID() int { return b.process.ReattachConfig().Pid }

// Wait blocks until the backend has been stopped.
func (b *Backend) Wait() { <-b.done }
