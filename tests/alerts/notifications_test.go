package alerts_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"text/template"
	"time"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// notificationsFile has the members of a provisioning file of notifications that the tests use.
type notificationsFile struct {
	Templates     []struct{ Template string }
	ContactPoints []struct {
		Name      string
		Receivers []struct {
			UID, Type string
			Settings  map[string]any
		}
	} `yaml:"contactPoints"`
	Policies []struct {
		Receiver string
		Routes   []route
	}
}

func readNotifications(t *testing.T, name string) (read notificationsFile) {
	t.Helper()
	content, err := os.ReadFile("../../provisioning/notifications/" + name)
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(content, &read))
	return read
}

// alert is an alert in the data of notification templates.
type alert struct {
	Status           string
	Labels           map[string]string
	Annotations      map[string]string
	StartsAt, EndsAt time.Time
}

type alertList []alert

func (l alertList) Firing() alertList   { return l.having("firing") }
func (l alertList) Resolved() alertList { return l.having("resolved") }
func (l alertList) having(status string) alertList {
	return slices.DeleteFunc(slices.Clone(l), func(a alert) bool { return a.Status != status })
}

// notification is the data of notification templates.
type notification struct {
	Status       string
	CommonLabels map[string]string
	Alerts       alertList
}

// message executes a template of the provisioned notifications, with the functions that they use of Grafana.
func message(t *testing.T, name string, of notification) string {
	t.Helper()
	parsed, err := template.New("").Option("missingkey=zero").Funcs(template.FuncMap{
		"toUpper": strings.ToUpper,
		"reReplaceAll": func(pattern, by, text string) string {
			return regexp.MustCompile(pattern).ReplaceAllString(text, by)
		},
	}).Parse(readNotifications(t, "notifications.yaml").Templates[0].Template)
	require.NoError(t, err)
	var written strings.Builder
	require.NoError(t, parsed.ExecuteTemplate(&written, name, of))
	return written.String()
}

func TestNotifications_Text(t *testing.T) {
	annotations := map[string]string{
		"summary": "Fires when …", "description": "8 GPUs of node-1 are idle.", "action": "Restart it.",
		"dashboard": "https://g/d/x?from=now-3h&to=now&var-node=node-1", "panel": "https://g/d/x?from=now-3h&to=now&var-node=node-1&viewPanel=panel-5",
		"runbook_url": "https://docs/#idle",
	}
	start, end := time.Date(2026, 5, 20, 3, 4, 0, 0, time.FixedZone("CEST", 7200)), time.Date(2026, 5, 20, 4, 4, 0, 0, time.UTC)
	one := notification{
		Status: "firing", CommonLabels: map[string]string{"alertname": "GPU idle", "vm_name": "node-1"},
		Alerts: alertList{{Status: "firing", Annotations: annotations, StartsAt: start}},
	}
	require.Equal(t, "[FIRING] GPU idle on node-1: 1 alert", message(t, "gpucloud.title", one))
	require.Equal(t, `8 GPUs of node-1 are idle.
Firing since: 2026-05-20 01:04 UTC
Do this: Restart it.
Panel: https://g/d/x?from=1779235440000&to=now&var-node=node-1&viewPanel=panel-5
Dashboard: https://g/d/x?from=1779235440000&to=now&var-node=node-1
Runbook: https://docs/#idle`, strings.TrimSpace(message(t, "gpucloud.message", one)))

	both := notification{Status: "firing", CommonLabels: map[string]string{"job": "ft-1"}, Alerts: alertList{
		{Status: "firing", Labels: map[string]string{"severity": "warning", "alertname": "Run uses its GPUs little"}, Annotations: map[string]string{"description": "Little."}, StartsAt: start},
		{Status: "firing", Labels: map[string]string{"severity": "critical", "alertname": "Job makes no steps"}, Annotations: map[string]string{"description": "No steps."}, StartsAt: start},
	}}
	require.Equal(t, "[FIRING] Job makes no steps: 2 alerts", message(t, "gpucloud.title", both), "the most urgent of one object")
	require.Regexp(t, `(?s)^No steps\..+Little\.`, strings.TrimSpace(message(t, "gpucloud.message", both)))

	failed := map[string]string{"description": "XID error: not known.", "action": "Test it.", "Error": "refused"}
	several := notification{Status: "firing", CommonLabels: map[string]string{"alertname": "DatasourceError"}, Alerts: alertList{
		{Status: "firing", Annotations: failed, StartsAt: start},
		{Status: "firing", Annotations: failed, StartsAt: start},
		{Status: "resolved", Annotations: annotations, StartsAt: start, EndsAt: end},
	}}
	require.Equal(t, "[FIRING] DatasourceError: 2 alerts", message(t, "gpucloud.title", several))
	text := message(t, "gpucloud.message", several)
	require.Equal(t, 2, strings.Count(text, "XID error: not known.\nError: refused\nFiring since: 2026-05-20 01:04 UTC\nDo this: Test it.\n"), text)
	require.Contains(t, text, "Resolved: 8 GPUs of node-1 are idle.\nFiring since: 2026-05-20 01:04 UTC\nUntil: 2026-05-20 04:04 UTC\nPanel: https://g/d/x?from=1779235440000&to=1779249840000&var-node")

	resolved := notification{Status: "resolved", CommonLabels: map[string]string{"alertname": "GPU hot"}, Alerts: several.Alerts[2:]}
	require.Equal(t, "[RESOLVED] GPU hot", message(t, "gpucloud.title", resolved))
}

// Grafana does not start if a policy names an unknown contact point, and the name of the default contact point differs
// between versions.
func TestNotifications_ContactPoints(t *testing.T) {
	read := readNotifications(t, "notifications.yaml")
	var names, used []string
	for _, point := range read.ContactPoints {
		names = append(names, point.Name)
	}
	for _, policy := range read.Policies {
		used = append(used, policy.Receiver)
		for _, route := range policy.Routes {
			used = append(used, route.Receiver)
		}
	}
	require.NotEmpty(t, used)
	require.Subset(t, names, used)
}

// Grafana adds receivers to the contact point of their name. A name of another file would get no alert.
func TestNotifications_Slack(t *testing.T) {
	all, slack := readNotifications(t, "notifications.yaml").ContactPoints, readNotifications(t, "slack.yaml").ContactPoints
	require.Len(t, slack, 1, "a channel gets each alert once, also those that wake someone")
	require.Equal(t, all[1].Name, slack[0].Name, "the contact point that gets all alerts")
	require.NotEqual(t, all[1].Receivers[0].UID, slack[0].Receivers[0].UID, "the same uid would replace the receiver")
	require.Equal(t, "slack", slack[0].Receivers[0].Type)
	require.Equal(t, `{{ template "gpucloud.message" . }}`, slack[0].Receivers[0].Settings["text"])
}
