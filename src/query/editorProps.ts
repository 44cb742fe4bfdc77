import type { QueryEditorProps } from '@grafana/data';
import type { GpuCloud } from '../GpuCloud';
import type { GpuCloudOptions, GpuCloudQuery } from '../types';

/** What Grafana gives to the editor of a query, and that to the editors of each kind. */
export type GpuCloudQueryEditorProps = QueryEditorProps<GpuCloud, GpuCloudQuery, GpuCloudOptions>;
