package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend/grpcplugin"
	"github.com/grafana/grafana-plugin-sdk-go/genproto/pluginv2"
	"github.com/hashicorp/go-hclog"
	goplugin "github.com/hashicorp/go-plugin"
)

// ErrNotRunning is returned while the backend is down and has not come back yet.
var ErrNotRunning = errors.New("the plugin's backend is not running")

const (
	watchInterval = 250 * time.Millisecond
	firstPause    = 500 * time.Millisecond
	longestPause  = 15 * time.Second
)

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

// Backend is one supervised backend process. Its methods are safe for concurrent use.
type Backend struct {
	config Config
	done   chan struct{}

	mu      sync.RWMutex
	process *goplugin.Client
	clients *Clients
}

// Start runs the backend and returns once it has answered the handshake. When the process ends later, it
// is started again until ctx is cancelled, at which point it is stopped; Wait returns when that is done.
func Start(ctx context.Context, config Config) (*Backend, error) {
	b := &Backend{config: config, done: make(chan struct{})}
	if err := b.launch(); err != nil {
		return nil, err
	}
	go b.supervise(ctx)
	return b, nil
}

// Clients returns the connections to the running process, or ErrNotRunning.
func (b *Backend) Clients() (Clients, error) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	if b.clients == nil || b.process.Exited() {
		return Clients{}, ErrNotRunning
	}
	return *b.clients, nil
}

// PID is the id of the running process.
func (b *Backend) PID() int {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.process.ReattachConfig().Pid
}

// Wait blocks until the backend has been stopped for good.
func (b *Backend) Wait() { <-b.done }

func (b *Backend) supervise(ctx context.Context) {
	defer close(b.done)
	defer b.stop()
	ticker := time.NewTicker(watchInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if b.exited() && !b.restart(ctx) {
			return
		}
	}
}

// restart starts the backend again, pausing longer after every failure. It reports false when ctx ended first.
func (b *Backend) restart(ctx context.Context) bool {
	b.config.Log.Error("the plugin's backend stopped by itself, starting it again", "path", b.config.Path)
	b.stop()
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		select {
		case <-ctx.Done():
			return false
		case <-time.After(pause):
		}
		err := b.launch()
		if err == nil {
			b.config.Log.Info("the plugin's backend is running again")
			return true
		}
		b.config.Log.Error("the plugin's backend did not start", "error", err, "nextAttemptIn", min(2*pause, longestPause))
	}
}

func (b *Backend) launch() error {
	cmd := exec.Command(b.config.Path) //nolint:gosec,noctx // running what it is given is what the host is for; go-plugin ends it
	cmd.Env = environment(b.config.GrafanaVersion, os.LookupEnv)
	process := goplugin.NewClient(&goplugin.ClientConfig{
		Cmd:              cmd,
		SkipHostEnv:      true,
		HandshakeConfig:  handshake,
		VersionedPlugins: map[int]goplugin.PluginSet{grpcplugin.ProtocolVersion: services},
		AllowedProtocols: []goplugin.Protocol{goplugin.ProtocolGRPC},
		Logger:           b.config.Log,
	})
	clients, err := connect(process)
	if err != nil {
		process.Kill()
		return fmt.Errorf("start %s: %w", b.config.Path, err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.process, b.clients = process, clients
	return nil
}

func (b *Backend) exited() bool {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.process.Exited()
}

func (b *Backend) stop() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.clients = nil
	b.process.Kill()
}
