package settings

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// Provisioned is a data source as a provisioning file describes it, with variables expanded.
type Provisioned struct {
	DataSource DataSource
	// Secrets are the values of secureJsonData by name.
	Secrets map[string]string
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

// LoadFile reads a Grafana provisioning file and returns its first data source of the given plugin. Of Grafana's ways to name a
// variable it knows $NAME, which ours has.
//
// Format: https://grafana.com/docs/grafana/latest/administration/provisioning/#data-sources
func LoadFile(path, pluginID string) (Provisioned, error) {
	content, err := os.ReadFile(path) //nolint:gosec // the file is what the user starts the preview with
	if err != nil {
		return Provisioned{}, fmt.Errorf("read the provisioning file: %w", err)
	}
	var file struct {
		DataSources []yaml.Node `yaml:"datasources"`
	}
	if err := yaml.Unmarshal(content, &file); err != nil {
		return Provisioned{}, fmt.Errorf("%s: %w", filepath.Base(path), err)
	}
	for _, node := range file.DataSources {
		var source provisionedSource
		if err := node.Decode(&source); err != nil {
			return Provisioned{}, err
		}
		if source.Type != pluginID {
			continue
		}
		expand(&node)
		source = provisionedSource{}
		if err := node.Decode(&source); err != nil {
			return Provisioned{}, err
		}
		return source.provisioned()
	}
	return Provisioned{}, fmt.Errorf("%s has no data source of type %s", filepath.Base(path), pluginID)
}

// expand puts in variables below a YAML node. A text that came from a variable and reads as a whole number becomes one, as in Grafana.
func expand(node *yaml.Node) {
	if node.Kind == yaml.ScalarNode && node.ShortTag() == "!!str" {
		expanded := os.Expand(node.Value, os.Getenv)
		if _, err := strconv.ParseInt(expanded, 10, 64); err == nil && expanded != node.Value {
			node.Tag, node.Style = "!!int", 0
		}
		node.Value = expanded
	}
	for _, child := range node.Content {
		expand(child)
	}
}

func (p provisionedSource) provisioned() (Provisioned, error) {
	jsonData, err := json.Marshal(p.JSONData)
	return Provisioned{Secrets: p.SecureJSONData, DataSource: DataSource{
		Name: p.Name, UID: p.UID, Access: p.Access, URL: p.URL, User: p.User, IsDefault: p.IsDefault,
		BasicAuth: p.BasicAuth, BasicAuthUser: p.BasicAuthUser, JSONData: objectOrEmpty(jsonData),
	}}, err
}
