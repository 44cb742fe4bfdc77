package metrics

// Exporter is how the GPU exporter serves DCGM's fields. The zero value serves them under the names that they had before
// DCGM 4.6, which is what the exporter's own configuration has.
type Exporter struct {
	NewNames bool // the names of DCGM 4.6
}

// NewNames are the names of DCGM 4.6 by those that they had before. Source: the deprecated names at the end of dcgm_fields.h,
// https://github.com/NVIDIA/DCGM/blob/master/dcgmlib/dcgm_fields.h
var NewNames = map[string]string{
	"DCGM_FI_DEV_GPU_UTIL":                    "DCGM_FI_DEV_GPU_UTIL_RATIO",
	"DCGM_FI_DEV_GPU_TEMP":                    "DCGM_FI_DEV_GPU_TEMP_CELSIUS",
	"DCGM_FI_DEV_MEMORY_TEMP":                 "DCGM_FI_DEV_MEMORY_TEMP_CELSIUS",
	"DCGM_FI_DEV_POWER_USAGE":                 "DCGM_FI_DEV_BOARD_POWER_WATTS",
	"DCGM_FI_DEV_XID_ERRORS":                  "DCGM_FI_DEV_XID_ERROR",
	"DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS":   "DCGM_FI_DEV_ROW_REMAP_CORRECTABLE_TOTAL",
	"DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS": "DCGM_FI_DEV_ROW_REMAP_UNCORRECTABLE_TOTAL",
	"DCGM_FI_DEV_ROW_REMAP_FAILURE":           "DCGM_FI_DEV_ROW_REMAP_FAILED",
	"DCGM_FI_DEV_PCIE_REPLAY_COUNTER":         "DCGM_FI_DEV_PCIE_REPLAY_TOTAL",
	"DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL":      "DCGM_FI_DEV_NVLINK_THROUGHPUT_TOTAL",
	"DCGM_FI_PROF_GR_ENGINE_ACTIVE":           "DCGM_FI_PROF_GR_ENGINE_UTIL_RATIO",
	"DCGM_FI_PROF_SM_ACTIVE":                  "DCGM_FI_PROF_SM_UTIL_RATIO",
	"DCGM_FI_PROF_SM_OCCUPANCY":               "DCGM_FI_PROF_SM_OCCUPANCY_RATIO",
	"DCGM_FI_PROF_PIPE_TENSOR_ACTIVE":         "DCGM_FI_PROF_TENSOR_UTIL_RATIO",
	"DCGM_FI_PROF_DRAM_ACTIVE":                "DCGM_FI_PROF_DRAM_UTIL_RATIO",
}

// Exported sets how the GPU exporter serves its fields. It returns the store, which must not be in use yet.
func (s *Store) Exported(e Exporter) *Store {
	if e.NewNames {
		s.rename(func(name string) string {
			if renamed, ok := NewNames[name]; ok {
				return renamed
			}
			return name
		})
	}
	return s
}
