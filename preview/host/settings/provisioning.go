package settings

import (
	"encoding/json"
	"fmt"
	"path/filepath"

	"go.yaml.in/yaml/v3"
)

// Provisioned is a data source as a provisioning file describes it, with variables expanded.
type Provisioned struct {
	DataSource DataSource
	// Secrets are the values of secureJsonData by name.
	Secrets map[string]string
}

type provisioningFile struct {
	DataSources []provisionedSource `yaml:"datasources"`
}

type provisionedSource struct {
	Name           string            `yaml:"name"`
	UID            string            `yaml:"uid"`
	Type           string            `yaml:"type"`
	Access         string            `yaml:"access"`
	URL            string            `yaml:"url"`
	User           string            `yaml:"user"`
	IsDefault      bool              `yaml:"isDefault"`
	BasicAuth      bool              `yaml:"basicAuth"`
	BasicAuthUser  string            `yaml:"basicAuthUser"`
	JSONData       map[string]any    `yaml:"jsonData"`
	SecureJSONData map[string]string `yaml:"secureJsonData"`
}

// LoadFile reads a Grafana provisioning file and returns its first data source of the given plugin.
//
// Format: https://grafana.com/docs/grafana/latest/administration/provisioning/#data-sources
func LoadFile(path, pluginID string, env Environment) (Provisioned, error) {
	content, err := env.ReadFile(path)
	if err != nil {
		return Provisioned{}, fmt.Errorf("read the provisioning file: %w", err)
	}
	var file provisioningFile
	if err := yaml.Unmarshal(content, &file); err != nil {
		return Provisioned{}, fmt.Errorf("%s: %w", filepath.Base(path), err)
	}
	for _, source := range file.DataSources {
		if source.Type == pluginID {
			return source.expand(env)
		}
	}
	return Provisioned{}, fmt.Errorf("%s has no data source of type %s", filepath.Base(path), pluginID)
}

func (p provisionedSource) expand(env Environment) (Provisioned, error) {
	for _, field := range []*string{&p.Name, &p.UID, &p.URL, &p.User, &p.BasicAuthUser} {
		expanded, err := env.Expand(*field)
		if err != nil {
			return Provisioned{}, err
		}
		*field = expanded
	}
	jsonData, err := env.expandTree(p.JSONData)
	if err != nil {
		return Provisioned{}, err
	}
	encoded, err := json.Marshal(jsonData)
	if err != nil {
		return Provisioned{}, fmt.Errorf("jsonData of %s: %w", p.Name, err)
	}
	secrets := make(map[string]string, len(p.SecureJSONData))
	for name, value := range p.SecureJSONData {
		if secrets[name], err = env.Expand(value); err != nil {
			return Provisioned{}, err
		}
	}
	return Provisioned{Secrets: secrets, DataSource: DataSource{
		Name: p.Name, UID: p.UID, Access: p.Access, URL: p.URL, User: p.User, IsDefault: p.IsDefault,
		BasicAuth: p.BasicAuth, BasicAuthUser: p.BasicAuthUser, JSONData: objectOrEmpty(encoded),
	}}, nil
}
