package settings

import (
	"encoding/json"
	"maps"
	"runtime"
	"sync"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/backend/useragent"
	"github.com/grafana/grafana-plugin-sdk-go/config"
)

// Grafana's first tenant; the preview has no other.
const (
	orgID     = 1
	namespace = "default"
)

// Store holds the data source and its secrets in memory. Its methods are safe for concurrent use.
type Store struct {
	plugin Plugin
	now    func() time.Time

	mu      sync.RWMutex
	source  DataSource
	secrets map[string]string
	updated time.Time
}

// Plugin describes the plugin, and the Grafana that runs it, to the backend.
type Plugin struct {
	ID             string
	Version        string
	GrafanaVersion string
	// LogoURL is the address of the plugin's logo on the host.
	LogoURL string
}

// NewStore makes a store that holds the given data source.
func NewStore(plugin Plugin, provisioned Provisioned, now func() time.Time) *Store {
	source := provisioned.DataSource
	source.ID, source.OrgID, source.Version = 1, orgID, 1
	source.Type, source.TypeLogoURL = plugin.ID, plugin.LogoURL
	// A provisioned data source is read-only in Grafana unless its file says otherwise; here people are meant to try.
	source.ReadOnly = false
	return &Store{
		plugin:  plugin,
		now:     now,
		source:  source,
		secrets: withoutEmpty(provisioned.Secrets),
		updated: now(),
	}
}

// Get returns the data source without its secrets.
func (s *Store) Get() DataSource {
	s.mu.RLock()
	defer s.mu.RUnlock()
	shown := s.source
	shown.SecureJSONFields = make(map[string]bool, len(s.secrets))
	for name := range s.secrets {
		shown.SecureJSONFields[name] = true
	}
	return shown
}

// Update applies a change and returns the data source as it then is. The backend sees a new update time, so
// it makes a new instance on its next call.
func (s *Store) Update(change Change) DataSource {
	s.mu.Lock()
	s.source.Name = change.Name
	s.source.URL = change.URL
	s.source.User, s.source.Database = change.User, change.Database
	s.source.BasicAuth, s.source.BasicAuthUser = change.BasicAuth, change.BasicAuthUser
	s.source.WithCredentials = change.WithCredentials
	s.source.JSONData = objectOrEmpty(change.JSONData)
	s.source.Version++
	merged := maps.Clone(s.secrets)
	maps.Copy(merged, change.SecureJSONData)
	s.secrets = withoutEmpty(merged)
	s.updated = s.now()
	s.mu.Unlock()
	return s.Get()
}

// PluginContext goes with every call to the backend: the user and the data source.
func (s *Store) PluginContext() backend.PluginContext {
	s.mu.RLock()
	defer s.mu.RUnlock()
	// Grafana leaves out a version that is not one.
	userAgent, _ := useragent.New(s.plugin.GrafanaVersion, runtime.GOOS, runtime.GOARCH)
	return backend.PluginContext{
		Namespace:     namespace,
		PluginID:      s.plugin.ID,
		PluginVersion: s.plugin.Version,
		User:          &backend.User{Login: "preview", Name: "Preview", Email: "preview@localhost", Role: "Admin"},
		UserAgent:     userAgent,
		GrafanaConfig: config.NewGrafanaCfg(map[string]string{}),
		DataSourceInstanceSettings: &backend.DataSourceInstanceSettings{
			ID:                      s.source.ID,
			UID:                     s.source.UID,
			Type:                    s.source.Type,
			Name:                    s.source.Name,
			URL:                     s.source.URL,
			User:                    s.source.User,
			Database:                s.source.Database,
			BasicAuthEnabled:        s.source.BasicAuth,
			BasicAuthUser:           s.source.BasicAuthUser,
			JSONData:                s.source.JSONData,
			DecryptedSecureJSONData: maps.Clone(s.secrets),
			Updated:                 s.updated,
		},
	}
}

func withoutEmpty(secrets map[string]string) map[string]string {
	kept := make(map[string]string, len(secrets))
	for name, value := range secrets {
		if value != "" {
			kept[name] = value
		}
	}
	return kept
}

func objectOrEmpty(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 || string(raw) == "null" {
		return json.RawMessage(`{}`)
	}
	return raw
}
