// Command host runs the built data source backend the way Grafana runs it and serves the few Grafana
// routes that the preview page needs, so that the plugin can be seen on a machine without Grafana.
//
// It starts the backend binary with HashiCorp's plugin protocol and translates HTTP to
// gRPC: queries, resources, health and settings. It knows nothing about what the plugin does.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/gpucloud/gpucloud-platform-datasource/preview/host/process"
	"github.com/gpucloud/gpucloud-platform-datasource/preview/host/routes"
)

const (
	grafanaVersion = "13.1.1"
	provisioning   = "provisioning/datasources/gpucloud.yaml"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:3100", "address to serve on; port 0 takes a free one")
	pluginDir := flag.String("plugin", "dist", "folder of the built plugin")
	pageDir := flag.String("page", "preview/dist", "folder of the built preview page")
	flag.Parse()

	if err := run(*listen, *pluginDir, *pageDir); err != nil {
		fmt.Fprintln(os.Stderr, "preview:", err)
		os.Exit(1)
	}
}

func run(listen, pluginDir, pageDir string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()

	manifest, err := readManifest(pluginDir)
	if err != nil {
		return err
	}
	provisioned, err := routes.Provisioned(provisioning)
	if err != nil {
		return err
	}
	log := hclog.New(&hclog.LoggerOptions{Name: "preview", Level: hclog.Warn, Output: os.Stderr})
	plugin, err := process.Start(manifest.executable(pluginDir), grafanaVersion, log)
	if err != nil {
		return err
	}
	defer plugin.Stop()

	return serve(ctx, listen, routes.New(routes.Config{
		Backend:     plugin,
		DataSource:  routes.NewDataSource(provisioned, manifest.Info.Version, grafanaVersion),
		ProxyRoutes: manifest.Routes,
		PluginDir:   pluginDir,
		PageDir:     pageDir,
		Log:         log,
	}))
}

// serve prints the address as one JSON line, for the scripts that start the preview, and serves until ctx ends.
func serve(ctx context.Context, address string, handler http.Handler) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return err
	}
	started := map[string]string{"address": "http://" + listener.Addr().String()}
	if err := json.NewEncoder(os.Stdout).Encode(started); err != nil {
		return err
	}

	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	context.AfterFunc(ctx, func() {
		// Streams may be open; they end with the preview.
		_ = server.Close()
	})
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// manifest is what the host needs of the built plugin.json.
type manifest struct {
	Executable string              `json:"executable"`
	Routes     []routes.ProxyRoute `json:"routes"`
	Info       struct {
		Version string `json:"version"`
	} `json:"info"`
}

func readManifest(dir string) (manifest, error) {
	content, err := os.ReadFile(filepath.Join(dir, "plugin.json")) //nolint:gosec // the folder is what the user starts the preview with
	if err != nil {
		return manifest{}, fmt.Errorf("the plugin is not built: %w", err)
	}
	var m manifest
	if err := json.Unmarshal(content, &m); err != nil {
		return manifest{}, fmt.Errorf("plugin.json: %w", err)
	}
	return m, nil
}

// executable is the path Grafana derives from plugin.json for this machine.
func (m manifest) executable(dir string) string {
	name := fmt.Sprintf("%s_%s_%s", m.Executable, runtime.GOOS, runtime.GOARCH)
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(dir, name)
}
