package alerts_test

import (
	"bytes"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"text/template"
	"time"

	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// notificationsFile has the members of the provisioning files of notifications. Grafana ignores others, so they are misspelled.
type notificationsFile struct {
	APIVersion int `yaml:"apiVersion"`
	Templates  []struct {
		OrgID          int `yaml:"orgId"`
		Name, Template string
	}
	ContactPoints []struct {
		OrgID     int `yaml:"orgId"`
		Name      string
		Receivers []struct {
			UID, Type string
			Settings  map[string]any
		}
	} `yaml:"contactPoints"`
	Policies []struct {
		OrgID  int `yaml:"orgId"`
		route  `yaml:",inline"`
		Routes []route
	}
}

func readNotifications(t *testing.T, name string) (read notificationsFile) {
	t.Helper()
	content, err := os.ReadFile("../../provisioning/notifications/" + name)
	require.NoError(t, err)
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	decoder.KnownFields(true)
	require.NoError(t, decoder.Decode(&read))
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

// Grafana does not start with what it refuses of these files. The name of the default contact point differs between versions.
//
// Source: MapToModel in pkg/services/provisioning/alerting/contact_point_types.go of Grafana; Route.Validate, Matcher and the
// receivers in github.com/grafana/alerting
func TestNotifications_AcceptedByGrafana(t *testing.T) {
	required := map[string]string{"email": "addresses", "slack": "url", "webhook": "url"}
	var names, uids []string
	for _, file := range []string{"notifications.yaml", "slack.yaml"} {
		for _, point := range readNotifications(t, file).ContactPoints {
			require.NotEmpty(t, point.Name)
			names = append(names, point.Name)
			for _, receiver := range point.Receivers {
				require.NotEmpty(t, receiver.UID)
				require.NotContains(t, uids, receiver.UID, "the same uid would replace the receiver")
				require.NotEmpty(t, receiver.Settings[required[receiver.Type]], "%s: %s", receiver.UID, receiver.Type)
				uids = append(uids, receiver.UID)
			}
		}
	}
	policy := readNotifications(t, "notifications.yaml").Policies[0]
	require.Empty(t, policy.Matchers)
	require.False(t, policy.Continue)
	for _, route := range append(policy.Routes, policy.route) {
		require.Contains(t, names, route.Receiver)
		require.Len(t, slices.Compact(slices.Sorted(slices.Values(route.GroupBy))), len(route.GroupBy), "%s", route.GroupBy)
		require.False(t, len(route.GroupBy) > 1 && slices.Contains(route.GroupBy, "..."), "%s", route.GroupBy)
		for _, interval := range []*model.Duration{route.GroupInterval, route.RepeatInterval} {
			require.True(t, interval == nil || *interval > 0, "%v", route)
		}
		for _, matcher := range route.Matchers {
			require.Contains(t, []string{"=", "!=", "=~", "!~"}, matcher[1])
		}
	}
}

// Grafana adds receivers to the contact point of their name. A name of another file would get no alert.
func TestNotifications_Slack(t *testing.T) {
	all, slack := readNotifications(t, "notifications.yaml").ContactPoints, readNotifications(t, "slack.yaml").ContactPoints
	require.Len(t, slack, 1, "a channel gets each alert once, also those that wake someone")
	require.Equal(t, all[1].Name, slack[0].Name, "the contact point that gets all alerts")
	require.Equal(t, "slack", slack[0].Receivers[0].Type)
	require.Equal(t, `{{ template "gpucloud.message" . }}`, slack[0].Receivers[0].Settings["text"])
}

// route is a notification policy below the root.
type route struct {
	Receiver       string          `yaml:"receiver"`
	Matchers       [][3]string     `yaml:"object_matchers"`
	GroupBy        []string        `yaml:"group_by"`
	GroupWait      *model.Duration `yaml:"group_wait"`
	GroupInterval  *model.Duration `yaml:"group_interval"`
	RepeatInterval *model.Duration `yaml:"repeat_interval"`
	Continue       bool            `yaml:"continue"`
}

func (r route) matches(t *testing.T, labels map[string]string) bool {
	return !slices.ContainsFunc(r.Matchers, func(m [3]string) bool {
		require.Equal(t, "=", m[1], "no other operator is used")
		return labels[m[0]] != m[2]
	})
}

// notifications are the titles of the alerts of each, by its receiver and the labels that it is grouped by.
func notifications(t *testing.T, alerts []map[string]string) map[string][]string {
	t.Helper()
	policies := readNotifications(t, "notifications.yaml").Policies
	grouped := map[string][]string{}
	for _, labels := range alerts {
		sent := false
		for _, to := range policies[0].Routes {
			if !to.matches(t, labels) {
				continue
			}
			sent = true
			key := to.Receiver + ":"
			for _, name := range to.GroupBy {
				if labels[name] != "" {
					key += " " + name + "=" + labels[name]
				}
			}
			grouped[key] = append(grouped[key], labels["alertname"])
			slices.Sort(grouped[key])
			if !to.Continue {
				break
			}
		}
		require.True(t, sent, "a policy for %s", labels)
	}
	return grouped
}

// TestGrouping_Objects has what is wrong with one object in one notification, and other objects in others.
func TestGrouping_Objects(t *testing.T) {
	alert := func(severity, title string, labels ...string) map[string]string {
		all := map[string]string{"alertname": title, "severity": severity, "grafana_folder": "GPU Cloud alerts"}
		for _, label := range labels {
			name, value, _ := strings.Cut(label, "=")
			all[name] = value
		}
		return all
	}
	require.Equal(t, map[string][]string{
		"GPU Cloud on call: cluster_id=c vm_name=node-1": {"ECC error", "XID error", "XID error"},
		"GPU Cloud: cluster_id=c vm_name=node-1":         {"ECC error", "GPU slower than its peers", "Node slower than its node pool", "XID error", "XID error"},
		// A switch has the ports of many nodes.
		"GPU Cloud on call: alertname=InfiniBand link down cluster_id=c": {"InfiniBand link down", "InfiniBand link down"},
		"GPU Cloud: alertname=InfiniBand link down cluster_id=c":         {"InfiniBand link down", "InfiniBand link down"},
		"GPU Cloud: alertname=InfiniBand errors cluster_id=c":            {"InfiniBand errors", "InfiniBand errors"},
		"GPU Cloud: cluster_id=c":                                        {"Fewer GPUs than normal", "Many GPUs hot"},
		"GPU Cloud: disk_name=data":                                      {"Shared disk nearly full", "Shared disk slow"},
		"GPU Cloud: disk_name=scratch":                                   {"Shared disk slow"},
		"GPU Cloud on call: elb_name=a vip_port=443":                     {"Load-balancer traffic dropped"},
		"GPU Cloud: elb_name=a vip_port=443":                             {"Load-balancer traffic dropped"},
		"GPU Cloud: alertname=Room for a job type=h100 location=east":    {"Room for a job"},
		"GPU Cloud: alertname=Room for a job type=h100 location=north":   {"Room for a job"},
	}, notifications(t, []map[string]string{
		alert("critical", "XID error", "cluster_id=c", "vm_name=node-1", "gpu=0", "xid=48"),
		alert("critical", "XID error", "cluster_id=c", "vm_name=node-1", "gpu=1", "xid=79"),
		alert("critical", "ECC error", "cluster_id=c", "vm_name=node-1", "gpu=0"),
		alert("critical", "InfiniBand link down", "cluster_id=c", "vm_name=node-1", "hca_number=3"),
		alert("critical", "InfiniBand link down", "cluster_id=c", "vm_name=node-2", "hca_number=3"),
		alert("warning", "InfiniBand errors", "cluster_id=c", "vm_name=node-1", "hca_number=4"),
		alert("warning", "InfiniBand errors", "cluster_id=c", "vm_name=node-2", "hca_number=4"),
		alert("warning", "GPU slower than its peers", "cluster_id=c", "vm_name=node-1", "gpu=2", "cause=heat"),
		alert("warning", "Node slower than its node pool", "cluster_id=c", "vm_name=node-1", "nodepool_name=p"),
		alert("warning", "Fewer GPUs than normal", "cluster_id=c", "modelName=H100"),
		alert("warning", "Many GPUs hot", "cluster_id=c"),
		alert("warning", "Shared disk slow", "disk_name=data"),
		alert("warning", "Shared disk nearly full", "disk_name=data", "id=d1"),
		alert("warning", "Shared disk slow", "disk_name=scratch"),
		alert("critical", "Load-balancer traffic dropped", "elb_name=a", "vip_port=443", "proto=tcp"),
		alert("info", "Room for a job", "type=h100", "location=east"),
		alert("info", "Room for a job", "type=h100", "location=north"),
	}))
}
