package plugin

import (
	"context"
	"encoding/json"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// The provisioning files that users copy.
const (
	provisionedFile = "../../provisioning/datasources/gpucloud.yaml"
	helmFile        = "../../docs/provisioning/kubernetes/values.yaml"
	secretFile      = "../../docs/provisioning/kubernetes/secret.yaml"
	terraformFile   = "../../docs/provisioning/terraform/main.tf"
)

// elsewhere are the settings that the front end and Grafana's SDK use.
var elsewhere = []string{
	"defaultEditor", "seriesLimit", "disableMetricsLookup",
	"timeout", "tlsAuth", "tlsAuthWithCACert", "tlsSkipVerify", "serverName", "httpHeaderName1",
}

// secrets are the secret settings: the plugin's and the SDK's.
var secrets = []string{
	"monitoringToken", "inferenceApiKey", "secretKey", "httpHeaderValue1", "tlsCACert", "tlsClientCert", "tlsClientKey",
	"archiveToken", "archivePassword", "archiveHeader", "archiveTlsCaCert",
}

// ours are the names of the plugin's settings in jsonData.
func ours() []string {
	var names []string
	for _, settings := range []reflect.Type{reflect.TypeFor[savedSettings](), reflect.TypeFor[savedMetrics]()} {
		for field := range settings.Fields() {
			names = append(names, field.Tag.Get("json"))
		}
	}
	return names
}

type provisionedSource struct {
	URL            string            `yaml:"url"`
	UID            string            `yaml:"uid"`
	Type           string            `yaml:"type"`
	JSONData       map[string]any    `yaml:"jsonData"`
	SecureJSONData map[string]string `yaml:"secureJsonData"`
}

type provisionedSources struct {
	Datasources []provisionedSource `yaml:"datasources"`
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(name)
	require.NoError(t, err)
	return string(content)
}

func readYAML[T any](t *testing.T, text string) T {
	t.Helper()
	var read T
	require.NoError(t, yaml.Unmarshal([]byte(text), &read))
	return read
}

// commented uncomments the settings of a file.
func commented(text string) string {
	return regexp.MustCompile(`(?m)^( +)# ([a-zA-Z0-9]+: \S.*)$`).ReplaceAllStringFunc(text, func(line string) string {
		name := strings.TrimSpace(strings.SplitN(strings.SplitN(line, "# ", 2)[1], ":", 2)[0])
		if slices.Contains(slices.Concat(ours(), elsewhere, secrets), name) {
			return strings.Replace(line, "# ", "", 1)
		}
		return line
	})
}

func TestProvisioning_KnownSettings(t *testing.T) {
	helm := readYAML[struct {
		Datasources map[string]provisionedSources `yaml:"datasources"`
	}](t, readFile(t, helmFile))
	jsonData, secure := terraformSettings(t)
	for name, source := range map[string]provisionedSource{
		"file":      readYAML[provisionedSources](t, readFile(t, provisionedFile)).Datasources[0],
		"helm":      helm.Datasources["gpucloud.yaml"].Datasources[0],
		"terraform": {Type: ID, UID: "gpucloud", JSONData: jsonData, SecureJSONData: secure},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, ID, source.Type)
			require.Equal(t, "gpucloud", source.UID, "the alert rules name it")
			require.NotEmpty(t, source.JSONData)
			require.Empty(t, source.URL, "Grafana forwards what matches no route to it")
			for name := range source.JSONData {
				require.Contains(t, slices.Concat(ours(), elsewhere), name)
			}
			encoded, err := json.Marshal(source.JSONData)
			require.NoError(t, err)
			loaded := loadSettings(context.Background(), backend.DataSourceInstanceSettings{
				JSONData: encoded, DecryptedSecureJSONData: source.SecureJSONData,
			})
			require.NoError(t, loaded.err)
			for what, got := range map[string]text{
				"base address": loaded.BaseURL, "project": loaded.ProjectID, "gateway": loaded.IntelligenceURL, "access key": loaded.AccessKeyID,
				"organization": loaded.OrganizationID, "token": text(loaded.secret("monitoringToken")), "inference key": text(loaded.secret("inferenceApiKey")), "secret key": text(loaded.secret("secretKey")),
			} {
				require.NotEmpty(t, got, what)
			}
		})
	}
}

// terraformSettings reads the arguments of the two calls of jsonencode.
func terraformSettings(t *testing.T) (jsonData map[string]any, secure map[string]string) {
	t.Helper()
	jsonData, secure = map[string]any{}, map[string]string{}
	text := readFile(t, terraformFile)
	require.Contains(t, text, `type = "`+ID+`"`)
	require.Regexp(t, `(?s)variable "uid" \{[^}]* default     = "gpucloud"`, text)
	require.NotContains(t, text, "httpHeader", "the provider refuses it: headers are its http_headers")
	for _, block := range regexp.MustCompile(`(?s)  (\w+) = jsonencode\(\{(.*?)\}\)`).FindAllStringSubmatch(text, -1) {
		for _, line := range regexp.MustCompile(`(?m)^ +(\w+) += (.+)$`).FindAllStringSubmatch(block[2], -1) {
			switch block[1] {
			case "json_data_encoded":
				jsonData[line[1]] = strings.Trim(line[2], `"`)
			case "secure_json_data_encoded":
				secure[line[1]] = line[2]
			}
			if variable, ok := strings.CutPrefix(line[2], "var."); ok {
				require.Contains(t, text, `variable "`+variable+`"`)
			}
		}
	}
	return jsonData, secure
}

func TestProvisioning_SecretVariables(t *testing.T) {
	variable := regexp.MustCompile(`^\$[A-Z_]+$`)
	for _, source := range []provisionedSource{
		readYAML[provisionedSources](t, commented(readFile(t, provisionedFile))).Datasources[0],
		readYAML[struct {
			Datasources map[string]provisionedSources `yaml:"datasources"`
		}](t, readFile(t, helmFile)).Datasources["gpucloud.yaml"].Datasources[0],
	} {
		for name, value := range source.SecureJSONData {
			require.Contains(t, secrets, name)
			require.Regexp(t, variable, value, "a value in braces is cut at its first $")
		}
	}
}

func TestProvisioning_HelmSecret(t *testing.T) {
	text := readFile(t, helmFile)
	values := readYAML[struct {
		EnvValueFrom map[string]struct {
			SecretKeyRef struct {
				Name, Key string
				Optional  bool
			} `yaml:"secretKeyRef"`
		} `yaml:"envValueFrom"`
		Plugins []string `yaml:"plugins"`
	}](t, text)
	secretText := readFile(t, secretFile)
	secret := readYAML[struct {
		Metadata   struct{ Name string } `yaml:"metadata"`
		StringData map[string]string     `yaml:"stringData"`
	}](t, secretText)
	for _, found := range regexp.MustCompile(`(?m)(\w+): \$([A-Z_]+)$`).FindAllStringSubmatch(text, -1) {
		if setting, variable := found[1], found[2]; slices.Contains(secrets, setting) {
			require.Contains(t, values.EnvValueFrom, variable)
		} else {
			require.Regexp(t, `(?m)^  (# )?`+variable+`: \S`, text, "an address or an id, which may be left out")
		}
	}
	for variable, from := range values.EnvValueFrom {
		require.Equal(t, variable != "GPUCLOUD_MONITORING_TOKEN", from.SecretKeyRef.Optional, "%s: not everybody has each service", variable)
		require.Equal(t, secret.Metadata.Name, from.SecretKeyRef.Name)
		require.Contains(t, secretText, " "+from.SecretKeyRef.Key+": '")
	}
	require.Contains(t, secret.StringData, "monitoring-token")
	require.Regexp(t, "^"+ID+`@\d+\.\d+\.\d+@https://\S+\.zip$`, values.Plugins[0], "the chart sets GF_PLUGINS_PREINSTALL_SYNC, whose entries are id@version@address")
}

// Grafana replaces an unset variable with an empty text, without an error.
func TestProvisioning_UnsetVariables(t *testing.T) {
	source := readYAML[provisionedSources](t, readFile(t, provisionedFile)).Datasources[0]
	tests := map[string]struct {
		set  map[string]string
		want []string
	}{
		"none": {nil, []string{
			"Metrics: No base address is set. Set it in the data source's settings, section Connection.",
			"Fine-tuning: No gateway address is set. Set it in the data source's settings, section Fine-tuning.",
		}},
		"no token": {map[string]string{"GPUCLOUD_BASE_URL": "http://127.0.0.1:1", "GPUCLOUD_PROJECT_ID": "p"}, []string{
			"Metrics: No monitoring token is set. Set it in the data source's settings, section Metrics.",
		}},
		"no key of the gateway": {map[string]string{"GPUCLOUD_INTELLIGENCE_URL": "http://127.0.0.1:1"}, []string{
			"Fine-tuning: No inference API key is set. Set it in the data source's settings, section Fine-tuning.",
		}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			expand := func(value any) string {
				text, _ := value.(string)
				return os.Expand(text, func(name string) string { return test.set[name] })
			}
			jsonData, secure := map[string]any{}, map[string]string{}
			for name, value := range source.JSONData {
				if jsonData[name] = value; strings.HasPrefix(expandable(value), "$") {
					jsonData[name] = expand(value)
				}
			}
			for name, value := range source.SecureJSONData {
				secure[name] = expand(value)
			}
			encoded, err := json.Marshal(jsonData)
			require.NoError(t, err)
			instance, err := New(context.Background(), backend.DataSourceInstanceSettings{JSONData: encoded, DecryptedSecureJSONData: secure})
			require.NoError(t, err)
			ds := instance.(*Datasource)
			defer ds.Dispose()
			health, err := ds.CheckHealth(context.Background(), &backend.CheckHealthRequest{})
			require.NoError(t, err)
			require.Equal(t, backend.HealthStatusError, health.Status)
			for _, line := range test.want {
				require.Contains(t, health.Message, line)
			}
		})
	}
}

func expandable(value any) string {
	text, _ := value.(string)
	return text
}
