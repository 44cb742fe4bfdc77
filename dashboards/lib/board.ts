import type { Builder } from '@grafana/grafana-foundation-sdk/cog';
import {
  DashboardBuilder,
  DashboardCursorSync,
  RowBuilder,
  type Panel,
  type RowPanel,
  type VariableModel,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { fineTuning } from './annotations.ts';
import { otherDashboards, TAG } from './links.ts';
import type { PlacedPanel } from './panels.ts';
import { dataSourceVariable } from './variables.ts';

/** A dashboard, from top to bottom. */
export interface Board {
  /** Part of its address: links and imports go by it, so it never changes. */
  uid: string;
  title: string;
  description: string;
  /** Beside the data source, in the order shown. A variable may use those before it. */
  variables: Array<Builder<VariableModel>>;
  sections: Section[];
  /** Whether fine-tuning jobs and checkpoints are drawn over the panels. */
  annotated?: boolean;
  /** How far back it shows at first: `now-6h` if it is missing. */
  from?: string;
}

/** A part of a dashboard. Its panels are laid out from left to right, then in the next line. */
export interface Section {
  /** Without one, the panels follow without a heading. */
  title?: string;
  panels: PlacedPanel[];
}

export function board({ uid, title, description, variables, sections, annotated = true, from = 'now-6h' }: Board) {
  const dashboard = new DashboardBuilder(title)
    .uid(uid)
    .description(description)
    .tags([TAG])
    .editable()
    .tooltip(DashboardCursorSync.Crosshair)
    .time({ from, to: 'now' })
    .refresh('1m')
    .timezone('browser')
    .link(otherDashboards);
  [dataSourceVariable(), ...variables].forEach((variable) => dashboard.withVariable(variable));
  if (annotated) {
    dashboard.annotation(fineTuning());
  }
  layOut(sections).forEach((panel) =>
    isRow(panel) ? dashboard.withRow({ build: () => panel }) : dashboard.withPanel({ build: () => panel })
  );
  return dashboard;
}

const isRow = (panel: Panel | RowPanel): panel is RowPanel => panel.type === 'row';

/** Gives every panel its number and its place. */
function layOut(sections: Section[]): Array<Panel | RowPanel> {
  const placed: Array<Panel | RowPanel> = [];
  let x = 0;
  let y = 0;
  let lineHeight = 0;
  const nextLine = () => {
    y += lineHeight;
    x = lineHeight = 0;
  };
  const add = <P extends Panel | RowPanel>(panel: P, width: number, height: number) => {
    if (x + width > 24) {
      nextLine();
    }
    placed.push({ ...panel, id: placed.length + 1, gridPos: { x, y, w: width, h: height } });
    x += width;
    lineHeight = Math.max(lineHeight, height);
  };
  for (const { title, panels } of sections) {
    nextLine();
    if (title) {
      add(new RowBuilder(title).build(), 24, 1);
    }
    panels.forEach(({ panel, width, height }) => add(panel.build(), width, height));
  }
  return placed;
}
