package settings

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Environment is where variables and secret files of a provisioning file come from.
type Environment struct {
	Getenv   func(string) string
	ReadFile func(string) ([]byte, error)
}

// OS is the environment of this process.
func OS() Environment { return Environment{Getenv: os.Getenv, ReadFile: os.ReadFile} }

var expression = regexp.MustCompile(`\$(|__\w+)\{([^}]+)\}`)

// Expand replaces variables in a provisioned value by Grafana's rules, its known trap included: `$$` is a
// dollar sign, `$NAME` is expanded once, and `${NAME}`, `$__env{NAME}` and `$__file{path}` are expanded
// twice, so that a value which holds a dollar sign itself arrives cut.
//
// Rules: https://grafana.com/docs/grafana/latest/administration/provisioning/#using-environment-variables
func (e Environment) Expand(value string) (string, error) {
	parts := strings.Split(value, "$$")
	for i, part := range parts {
		expanded, err := e.expandExpressions(part)
		if err != nil {
			return "", err
		}
		parts[i] = os.Expand(expanded, e.Getenv)
	}
	return strings.Join(parts, "$"), nil
}

func (e Environment) expandExpressions(value string) (string, error) {
	var failure error
	expanded := expression.ReplaceAllStringFunc(value, func(match string) string {
		groups := expression.FindStringSubmatch(match)
		kind, argument := groups[1], groups[2]
		switch kind {
		case "", "__env":
			return e.Getenv(argument)
		case "__file":
			content, err := e.ReadFile(argument)
			if err != nil {
				failure = fmt.Errorf("read a provisioned secret: %w", err)
			}
			return strings.TrimSpace(string(content))
		default:
			return match
		}
	})
	return expanded, failure
}

// expandNode expands every string below a YAML node. A string that came from a variable and reads as a whole number becomes one,
// as in Grafana.
func (e Environment) expandNode(node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode && node.ShortTag() == "!!str" {
		expanded, err := e.Expand(node.Value)
		if err != nil {
			return err
		}
		if _, err := strconv.ParseInt(expanded, 10, 64); err == nil && expanded != node.Value {
			node.Tag, node.Style = "!!int", 0
		}
		node.Value = expanded
	}
	for _, child := range node.Content {
		if err := e.expandNode(child); err != nil {
			return err
		}
	}
	return nil
}
