package settings

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
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

// expandTree expands every string below a decoded YAML value. A string that came from a variable and reads
// as a whole number becomes one, as in Grafana.
func (e Environment) expandTree(node any) (any, error) {
	switch value := node.(type) {
	case string:
		return e.expandLeaf(value)
	case map[string]any:
		for key, child := range value {
			expanded, err := e.expandTree(child)
			if err != nil {
				return nil, err
			}
			value[key] = expanded
		}
		return value, nil
	case []any:
		for i, child := range value {
			expanded, err := e.expandTree(child)
			if err != nil {
				return nil, err
			}
			value[i] = expanded
		}
		return value, nil
	default:
		return node, nil
	}
}

func (e Environment) expandLeaf(value string) (any, error) {
	expanded, err := e.Expand(value)
	if err != nil {
		return nil, err
	}
	if expanded == value {
		return value, nil
	}
	if number, err := strconv.ParseInt(expanded, 10, 64); err == nil {
		return number, nil
	}
	return expanded, nil
}
