// Package gpulabels says by the labels of a GPU on which node it is, and whose. Reports of runs and placement have it from here.
package gpulabels

import (
	"net/netip"
	"strings"
)

// NodeLabels name the node of a GPU, the first of them that there is. The exporter takes Hostname from its pod if it isn't told the
// node, so it comes after vm_name, which the platform gives. The address in instance may be that of the exporter's pod, which changes when
// it restarts: it names the node only where no other label does. Dashboards and rules have the same order, in dashboards/lib/host.ts.
func NodeLabels() []string { return []string{"vm_name", "Hostname", "hostname", "node"} }

// ShortHost is the first label of a DNS name; an IP address is one. Schedulers and exporters may have either form of a node's name.
func ShortHost(host string) string {
	if _, err := netip.ParseAddr(host); err == nil {
		return host
	}
	short, _, _ := strings.Cut(host, ".")
	return short
}

// Job is the label with the id of the Slurm job that has a GPU, from an exporter with a folder of job files.
const Job = "hpc_job"

// IsExporter reports whether a pod is an exporter's own, which has no GPU, by its name. Where the scrape renames the labels of the pods that
// have GPUs, every pod in the label pod is, whatever it is called. Dashboards and rules have the same, in dashboards/lib/allocation.ts.
func IsExporter(pod string) bool {
	return strings.Contains(pod, "dcgm") || strings.Contains(pod, "exporter")
}
