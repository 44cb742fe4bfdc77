package metrics_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/metrics"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/scenario"
)

func names(store *metrics.Store) []string {
	var list []string
	for _, f := range store.Families() {
		list = append(list, f.Name)
	}
	return list
}

func TestDeployment_Prefix(t *testing.T) {
	list := names(metrics.New(scenario.New(scenario.Config{Nodes: 1, GPUsPerNode: 1, Now: now}), clock).Named("acme"))
	for _, name := range []string{"acme_vm_boot_time", "acme_node:node_gpu_power:p95_1m", "DCGM_FI_DEV_GPU_UTIL", "training_loss"} {
		if !slices.Contains(list, name) {
			t.Errorf("%s is missing", name)
		}
	}
	if slices.ContainsFunc(list, func(name string) bool { return strings.HasPrefix(name, metrics.DefaultPrefix) }) {
		t.Error("a family kept its name")
	}
}

func TestDeployment_MissingFamilies(t *testing.T) {
	list := names(metrics.New(scenario.New(scenario.Config{Nodes: 1, GPUsPerNode: 1, Now: now}), clock).Without("_slurm_", "DCGM_FI_PROF"))
	if slices.ContainsFunc(list, func(name string) bool { return strings.Contains(name, "slurm") || strings.Contains(name, "PROF") }) {
		t.Error("a family is still there")
	}
	if !slices.Contains(list, "DCGM_FI_DEV_GPU_UTIL") {
		t.Error("a family that should stay is gone")
	}
}

func TestExporter_NamesOfDCGM46(t *testing.T) {
	list := names(metrics.New(scenario.New(scenario.Config{Nodes: 1, GPUsPerNode: 1, Now: now}), clock).Exported(metrics.Exporter{NewNames: true}))
	for _, name := range []string{"DCGM_FI_DEV_GPU_UTIL_RATIO", "DCGM_FI_PROF_SM_UTIL_RATIO", "DCGM_FI_DEV_FB_USED", "vendor_vm_boot_time"} {
		if !slices.Contains(list, name) {
			t.Errorf("%s is missing", name)
		}
	}
	if slices.Contains(list, "DCGM_FI_DEV_GPU_UTIL") {
		t.Error("a family kept its name")
	}
}
