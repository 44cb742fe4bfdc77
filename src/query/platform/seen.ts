import type { PanelData } from '@grafana/data';
import type { ColumnType } from '../../platform/query';

/** A member of items, named as a column's selector does, with the type of its first value. */
export interface SeenMember {
  selector: string;
  type?: ColumnType;
}

/** What the last response of a list has, as the backend writes it into the frame's custom metadata. */
export interface Seen {
  members: SeenMember[];
  /** JSONPaths of the lists. */
  roots: string[];
}

/** What can be offered for a query's columns and root; nothing before its first response. */
export function seenIn(data: PanelData | undefined, refId: string): Seen {
  const custom: Partial<Seen> | undefined = data?.series.find(
    (frame) => frame.refId === refId && Array.isArray(frame.meta?.custom?.members)
  )?.meta?.custom;
  return { members: custom?.members ?? [], roots: custom?.roots ?? [] };
}
