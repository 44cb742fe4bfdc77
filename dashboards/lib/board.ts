import type { Builder } from '@grafana/grafana-foundation-sdk/cog';
import {
  DashboardBuilder,
  DashboardCursorSync,
  RowBuilder,
  type Panel,
  type RowPanel,
  type VariableModel,
} from '@grafana/grafana-foundation-sdk/dashboard';
import type { JobFilters } from '../../src/types.ts';
import { fineTuning, trainingHealth, type HealthOptions } from './annotations.ts';
import { otherDashboards, TAG } from './links.ts';
import type { PlacedPanel } from './panels.ts';
import { dataSourceVariable } from './variables.ts';

/** A dashboard, from top to bottom. */
interface Board {
  /** Part of its address: links and imports go by it, so it never changes. */
  uid: string;
  title: string;
  description: string;
  /** Beside the data source, in the order shown. A variable may use those before it. */
  variables: Array<Builder<VariableModel>>;
  sections: Section[];
  /**
   * The panels over which fine-tuning jobs and checkpoints are drawn. `lanes` belong right below the first. `offered`, if it is
   * missing, is a switch that is off at first.
   */
  annotated?: 'never' | 'offered' | PlacedPanel[];
  /** Which jobs these are: variables. All, if it is missing. */
  annotatedJobs?: JobFilters;
  /** What is wrong with training runs, each drawn over some panels. */
  health?: Array<{ name: string; query: HealthOptions; over: PlacedPanel[] }>;
  /** How far back it shows at first: `now-6h` if it is missing. */
  from?: string;
}

/** A part of a dashboard. Its panels are laid out from left to right, then in the next line. */
interface Section {
  /** Without one, the panels follow without a heading. */
  title?: string;
  panels: PlacedPanel[];
}

export function board({
  uid,
  title,
  description,
  variables,
  sections,
  annotated = 'offered',
  annotatedJobs = {},
  health = [],
  from = 'now-6h',
}: Board) {
  const dashboard = new DashboardBuilder(title)
    .uid(uid)
    .description(description)
    .tags([TAG])
    .editable()
    .tooltip(DashboardCursorSync.Crosshair)
    .time({ from, to: 'now' })
    .refresh('1m')
    .timezone('browser')
    .link(inSight(otherDashboards));
  [dataSourceVariable(), ...variables].forEach((variable) => dashboard.withVariable(variable));
  const placed = layOut(sections);
  if (annotated !== 'never') {
    const over = annotated === 'offered' ? [] : annotated.map(({ panel }) => numberOf(panel, placed));
    dashboard.annotation(inSight(fineTuning(annotatedJobs, over)));
  }
  health.forEach(({ name, query, over }) =>
    dashboard.annotation(
      inSight(
        trainingHealth(
          name,
          query,
          over.map(({ panel }) => numberOf(panel, placed))
        )
      )
    )
  );
  placed.forEach(({ panel }) =>
    isRow(panel) ? dashboard.withRow({ build: () => panel }) : dashboard.withPanel({ build: () => panel })
  );
  return dashboard;
}

/** Among the dashboard's controls, instead of in a menu, which is where the SDK puts it. */
function inSight<T extends { placement?: unknown }>(builder: Builder<T>): Builder<T> {
  return {
    build: () => {
      const { placement: _, ...rest } = builder.build();
      return rest as T;
    },
  };
}

const isRow = (panel: Panel | RowPanel): panel is RowPanel => panel.type === 'row';

/** A panel with its number and its place. */
interface Placed {
  builder: Builder<Panel | RowPanel>;
  panel: Panel | RowPanel;
}

function numberOf(builder: Builder<Panel>, placed: Placed[]): number {
  return placed.findIndex((one) => one.builder === builder) + 1;
}

/** Gives every panel its number, in the order shown, and its place. */
function layOut(sections: Section[]): Placed[] {
  const placed: Placed[] = [];
  let x = 0;
  let y = 0;
  let lineHeight = 0;
  const nextLine = () => {
    y += lineHeight;
    x = lineHeight = 0;
  };
  const add = (builder: Builder<Panel | RowPanel>, width: number, height: number) => {
    if (x + width > 24) {
      nextLine();
    }
    const panel = { ...builder.build(), id: placed.length + 1, gridPos: { x, y, w: width, h: height } };
    placed.push({ builder, panel });
    x += width;
    lineHeight = Math.max(lineHeight, height);
  };
  for (const { title, panels } of sections) {
    nextLine();
    if (title) {
      add(new RowBuilder(title), 24, 1);
    }
    panels.forEach(({ panel, width, height }) => add(panel, width, height));
  }
  return placed;
}
