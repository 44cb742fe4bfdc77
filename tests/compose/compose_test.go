package compose_test

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

const (
	root           = "../.."
	pluginFolder   = "/var/lib/grafana/plugins/gpucloud-platform-datasource"
	provisionedTo  = "/etc/grafana/provisioning"
	dataSourceFile = root + "/provisioning/datasources/gpucloud.yaml"
)

// load reads the file like docker compose: with validation, extends and environment variables.
func load(t *testing.T, environment ...string) *types.Project {
	t.Helper()
	return loadProfiles(t, nil, environment...)
}

func loadProfiles(t *testing.T, profiles []string, environment ...string) *types.Project {
	t.Helper()
	options, err := cli.NewProjectOptions([]string{filepath.Join(root, "docker-compose.yaml")}, cli.WithName("gpucloud"),
		cli.WithEnv(environment), cli.WithProfiles(profiles))
	require.NoError(t, err)
	project, err := options.LoadProject(context.Background())
	require.NoError(t, err)
	return project
}

func service(t *testing.T, project *types.Project, name string) types.ServiceConfig {
	t.Helper()
	found, err := project.GetService(name)
	require.NoError(t, err)
	return found
}

func environmentOf(s types.ServiceConfig) map[string]string {
	values := map[string]string{}
	for name, value := range s.Environment {
		if value != nil {
			values[name] = *value
		}
	}
	return values
}

func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(content)
}

func TestMounts_Exist(t *testing.T) {
	project := load(t)
	require.Len(t, project.Services, 2)
	for name, s := range project.Services {
		require.NotNil(t, s.Build, name)
		require.FileExists(t, filepath.Join(s.Build.Context, s.Build.Dockerfile))
		for _, volume := range s.Volumes {
			if filepath.Base(volume.Source) == "dist" {
				continue // is built by the demo
			}
			require.DirExists(t, volume.Source)
		}
	}
}

func TestMounts_PluginAndProvisioning(t *testing.T) {
	mounted := map[string]string{}
	grafana := service(t, load(t), "grafana")
	for _, volume := range grafana.Volumes {
		relative, err := filepath.Rel(mustAbsolute(t, root), volume.Source)
		require.NoError(t, err)
		mounted[volume.Target] = relative
	}
	require.Equal(t, "dist", mounted[pluginFolder])
	require.Equal(t, "provisioning", mounted[provisionedTo])
	for _, kind := range []string{"datasources", "dashboards", "alerting"} {
		files, err := filepath.Glob(filepath.Join(root, "provisioning", kind, "*.yaml"))
		require.NoError(t, err)
		require.NotEmpty(t, files, kind)
	}
	dashboards, ok := strings.CutPrefix(environmentOf(grafana)["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"], pluginFolder+"/")
	require.True(t, ok)
	require.FileExists(t, filepath.Join(root, "src", dashboards))
	require.Contains(t, read(t, root+"/provisioning/dashboards/gpucloud.yaml"), "path: "+pluginFolder+"/"+filepath.Dir(dashboards))
}

func mustAbsolute(t *testing.T, path string) string {
	t.Helper()
	absolute, err := filepath.Abs(path)
	require.NoError(t, err)
	return absolute
}

// Provisioning files use variables. Grafana replaces an unset one with an empty text, without a warning.
func TestVariables_OfDataSource(t *testing.T) {
	var file any
	require.NoError(t, yaml.Unmarshal([]byte(read(t, dataSourceFile)), &file))
	settings, err := yaml.Marshal(file) // without comments
	require.NoError(t, err)
	named := map[string]bool{}
	for _, found := range regexp.MustCompile(`\$([A-Z_]+)`).FindAllStringSubmatch(string(settings), -1) {
		named[found[1]] = true
	}
	require.Greater(t, len(named), 5)
	set := environmentOf(service(t, load(t), "grafana"))
	for name := range named {
		require.Contains(t, set, name)
	}
	for name := range set {
		if strings.HasPrefix(name, "GPUCLOUD_") {
			require.Contains(t, named, name, "set for nothing")
		}
	}
}

func TestVariables_FromEnvironment(t *testing.T) {
	const token = "a$b${c}$$d"
	project := load(t, "GPUCLOUD_MONITORING_TOKEN="+token, "GRAFANA_VERSION=12.3.0", "SIMULATOR_INCIDENT=stall")
	grafana := service(t, project, "grafana")
	require.Equal(t, token, environmentOf(grafana)["GPUCLOUD_MONITORING_TOKEN"])
	require.Equal(t, "12.3.0", *grafana.Build.Args["grafana_version"])
	require.Contains(t, service(t, project, "simulator").Command, "-incident=stall")
}

func TestGrafanaVersion(t *testing.T) {
	version := *service(t, load(t), "grafana").Build.Args["grafana_version"]
	found := regexp.MustCompile(`"grafanaDependency": ">=([0-9.]+)`).FindStringSubmatch(read(t, root+"/src/plugin.json"))
	require.NotNil(t, found)
	require.GreaterOrEqual(t, version, found[1], "compared as text, which holds from 10.0 to 99.9")
}

// The defaults are the simulator's address, credentials and options.
func TestVariables_DefaultIsSimulator(t *testing.T) {
	project := load(t)
	grafana, simulator := service(t, project, "grafana"), service(t, project, "simulator")
	set := environmentOf(grafana)
	flags := map[string]string{}
	for _, argument := range simulator.Command {
		name, value, ok := strings.Cut(strings.TrimPrefix(argument, "-"), "=")
		require.True(t, ok, argument)
		require.Contains(t, read(t, root+"/simulator/options.go"), `"`+name+`"`, "the simulator has no such option")
		flags[name] = value
	}
	require.Equal(t, flags["monitoring-token"], set["GPUCLOUD_MONITORING_TOKEN"])
	require.Equal(t, flags["inference-api-key"], set["GPUCLOUD_INFERENCE_API_KEY"])
	require.Equal(t, flags["project"], set["GPUCLOUD_PROJECT_ID"])
	require.Equal(t, "http://simulator:9400", set["GPUCLOUD_BASE_URL"])
	require.Equal(t, "0.0.0.0:9400", flags["listen"])
	defaults := read(t, root+"/simulator/platform/config.go")
	for _, name := range []string{"GPUCLOUD_ACCESS_KEY_ID", "GPUCLOUD_SECRET_KEY"} {
		require.Contains(t, defaults, `"`+set[name]+`"`, name)
	}
	require.NotNil(t, simulator.HealthCheck)
	require.NotNil(t, grafana.HealthCheck)
	require.Equal(t, types.ServiceConditionHealthy, grafana.DependsOn["simulator"].Condition)
}

// The profile archive has a VictoriaMetrics that vmagent feeds through Grafana, and Grafana has its address by a variable.
func TestArchive(t *testing.T) {
	project := loadProfiles(t, []string{"archive"}, "GPUCLOUD_ARCHIVE_URL=http://victoriametrics:8428")
	require.Len(t, project.Services, 4)
	require.Equal(t, "http://victoriametrics:8428", environmentOf(service(t, project, "grafana"))["GPUCLOUD_ARCHIVE_URL"])
	require.Contains(t, read(t, dataSourceFile), "url: $GPUCLOUD_ARCHIVE_URL")
	vmagent := service(t, project, "vmagent")
	require.Contains(t, vmagent.Command, "-remoteWrite.url=http://victoriametrics:8428/api/v1/write")
	require.Equal(t, mustAbsolute(t, root+"/provisioning/archive"), vmagent.Volumes[0].Source)

	var scraped struct {
		Configs []struct {
			Path        string `yaml:"metrics_path"`
			HonorLabels bool   `yaml:"honor_labels"`
			Static      []struct {
				Targets []string `yaml:"targets"`
			} `yaml:"static_configs"`
		} `yaml:"scrape_configs"`
	}
	require.NoError(t, yaml.Unmarshal([]byte(read(t, root+"/provisioning/archive/vmagent.yaml")), &scraped))
	require.Equal(t, "/api/datasources/uid/gpucloud/resources/federate", scraped.Configs[0].Path)
	require.True(t, scraped.Configs[0].HonorLabels)
	require.Equal(t, []string{"grafana:3000"}, scraped.Configs[0].Static[0].Targets)
}
