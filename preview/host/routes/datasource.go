package routes

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"runtime"
	"sync"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/backend/useragent"
	"github.com/grafana/grafana-plugin-sdk-go/config"
	"go.yaml.in/yaml/v3"
)

// Saved is a data source as a provisioning file and Grafana's HTTP API have it.
type Saved struct {
	UID      string         `json:"uid" yaml:"uid"`
	Name     string         `json:"name" yaml:"name"`
	Type     string         `json:"type" yaml:"type"`
	JSONData map[string]any `json:"jsonData" yaml:"jsonData"`
	// Secrets go in and never come out: a secret that a change does not name stays as it was, one with an empty value is removed.
	Secrets map[string]string `json:"secureJsonData,omitempty" yaml:"secureJsonData"`
	// SecureJSONFields says which of the secrets are set.
	SecureJSONFields map[string]bool `json:"secureJsonFields" yaml:"-"`
}

// Provisioned reads a Grafana provisioning file and returns its first data source. Of Grafana's ways to name a variable it knows
// $NAME, which ours has.
//
// Format: https://grafana.com/docs/grafana/latest/administration/provisioning/#data-sources
func Provisioned(path string) (Saved, error) {
	content, err := os.ReadFile(path) //nolint:gosec // the file is what the user starts the preview with
	if err != nil {
		return Saved{}, fmt.Errorf("read the provisioning file: %w", err)
	}
	var document yaml.Node
	if err := yaml.Unmarshal(content, &document); err != nil {
		return Saved{}, fmt.Errorf("%s: %w", path, err)
	}
	expand(&document)
	var file struct {
		DataSources []Saved `yaml:"datasources"`
	}
	if err := document.Decode(&file); err != nil {
		return Saved{}, fmt.Errorf("%s: %w", path, err)
	}
	if len(file.DataSources) == 0 {
		return Saved{}, errors.New(path + " has no data source")
	}
	return file.DataSources[0], nil
}

// expand puts in variables below a YAML node.
func expand(node *yaml.Node) {
	if node.Kind == yaml.ScalarNode {
		node.Value = os.ExpandEnv(node.Value)
	}
	for _, child := range node.Content {
		expand(child)
	}
}

// DataSource is the preview's one data source, in memory. Its methods are safe for concurrent use.
type DataSource struct {
	pluginVersion, grafanaVersion string

	mu      sync.Mutex
	saved   Saved
	updates int64
}

// NewDataSource makes the data source of what is saved, for a version of the plugin and of Grafana.
func NewDataSource(saved Saved, pluginVersion, grafanaVersion string) *DataSource {
	d := &DataSource{pluginVersion: pluginVersion, grafanaVersion: grafanaVersion, saved: Saved{UID: saved.UID, Type: saved.Type}}
	d.update(saved)
	return d
}

// update applies a change. The backend sees a new update time, so it makes a new instance on its next call.
func (d *DataSource) update(change Saved) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.saved.Name, d.saved.JSONData = change.Name, change.JSONData
	secrets, fields := map[string]string{}, map[string]bool{}
	for _, all := range []map[string]string{d.saved.Secrets, change.Secrets} {
		for name, value := range all {
			secrets[name], fields[name] = value, true
			if value == "" {
				delete(secrets, name)
				delete(fields, name)
			}
		}
	}
	d.saved.Secrets, d.saved.SecureJSONFields = secrets, fields
	d.updates++
}

// shown is the data source without its secrets.
func (d *DataSource) shown() Saved {
	d.mu.Lock()
	defer d.mu.Unlock()
	shown := d.saved
	shown.Secrets = nil
	return shown
}

// context goes with every call to the backend: the user and the data source.
func (d *DataSource) context() backend.PluginContext {
	d.mu.Lock()
	defer d.mu.Unlock()
	jsonData, err := json.Marshal(d.saved.JSONData)
	if err != nil {
		jsonData = []byte("{}")
	}
	// Grafana leaves out a version that is not one.
	userAgent, _ := useragent.New(d.grafanaVersion, runtime.GOOS, runtime.GOARCH)
	return backend.PluginContext{
		Namespace:     "default",
		PluginID:      d.saved.Type,
		PluginVersion: d.pluginVersion,
		User:          &backend.User{Login: "preview", Name: "Preview", Email: "preview@localhost", Role: "Admin"},
		UserAgent:     userAgent,
		GrafanaConfig: config.NewGrafanaCfg(map[string]string{}),
		DataSourceInstanceSettings: &backend.DataSourceInstanceSettings{
			ID:                      1,
			UID:                     d.saved.UID,
			Type:                    d.saved.Type,
			Name:                    d.saved.Name,
			JSONData:                jsonData,
			DecryptedSecureJSONData: d.saved.Secrets,
			Updated:                 time.Unix(d.updates, 0),
		},
	}
}

func (s *server) getSettings(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, s.DataSource.shown())
}

// putSettings saves what the config editor holds.
func (s *server) putSettings(w http.ResponseWriter, r *http.Request) {
	var change Saved
	if err := json.NewDecoder(r.Body).Decode(&change); err != nil || change.Name == "" {
		writeError(w, http.StatusBadRequest, "bad request data")
		return
	}
	s.DataSource.update(change)
	writeJSON(w, http.StatusOK, map[string]any{"message": "Datasource updated", "datasource": s.DataSource.shown()})
}
