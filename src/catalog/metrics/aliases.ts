/**
 * The names that DCGM 4.6 gives to fields of the catalog, by the names that they had before. An exporter serves a field
 * under the name that its configuration has for it; the values are the same, GPU_UTIL_RATIO is a percentage, too.
 *
 * Source: the deprecated names at the end of `dcgm_fields.h`, https://github.com/NVIDIA/DCGM/blob/master/dcgmlib/dcgm_fields.h
 */
export const ALIASES: Record<string, string> = {
  DCGM_FI_DEV_GPU_UTIL: 'DCGM_FI_DEV_GPU_UTIL_RATIO',
  DCGM_FI_DEV_GPU_TEMP: 'DCGM_FI_DEV_GPU_TEMP_CELSIUS',
  DCGM_FI_DEV_MEMORY_TEMP: 'DCGM_FI_DEV_MEMORY_TEMP_CELSIUS',
  DCGM_FI_DEV_POWER_USAGE: 'DCGM_FI_DEV_BOARD_POWER_WATTS',
  DCGM_FI_DEV_XID_ERRORS: 'DCGM_FI_DEV_XID_ERROR',
  DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS: 'DCGM_FI_DEV_ROW_REMAP_CORRECTABLE_TOTAL',
  DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS: 'DCGM_FI_DEV_ROW_REMAP_UNCORRECTABLE_TOTAL',
  DCGM_FI_DEV_ROW_REMAP_FAILURE: 'DCGM_FI_DEV_ROW_REMAP_FAILED',
  DCGM_FI_DEV_PCIE_REPLAY_COUNTER: 'DCGM_FI_DEV_PCIE_REPLAY_TOTAL',
  DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL: 'DCGM_FI_DEV_NVLINK_THROUGHPUT_TOTAL',
  DCGM_FI_PROF_GR_ENGINE_ACTIVE: 'DCGM_FI_PROF_GR_ENGINE_UTIL_RATIO',
  DCGM_FI_PROF_SM_ACTIVE: 'DCGM_FI_PROF_SM_UTIL_RATIO',
  DCGM_FI_PROF_SM_OCCUPANCY: 'DCGM_FI_PROF_SM_OCCUPANCY_RATIO',
  DCGM_FI_PROF_PIPE_TENSOR_ACTIVE: 'DCGM_FI_PROF_TENSOR_UTIL_RATIO',
  DCGM_FI_PROF_DRAM_ACTIVE: 'DCGM_FI_PROF_DRAM_UTIL_RATIO',
};

/** Every name under which a metric can be found, the one of the catalog first. */
export const namesOf = (metric: string): string[] => (metric in ALIASES ? [metric, ALIASES[metric]] : [metric]);

/** A query of the catalog with the names that a platform has, where those are the new ones only. */
export function withNames(expr: string, names: ReadonlySet<string>): string {
  return expr.replace(/\bDCGM_\w+/g, (name) =>
    !names.has(name) ? (namesOf(name).find((other) => names.has(other)) ?? name) : name
  );
}
