package alerts_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/require"
)

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
