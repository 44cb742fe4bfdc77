import type { Builder } from '@grafana/grafana-foundation-sdk/cog';
import {
  DashboardBuilder,
  DashboardCursorSync,
  RowBuilder,
  type Panel,
  type RowPanel,
  type VariableModel,
} from '@grafana/grafana-foundation-sdk/dashboard';
import type { JobFilters } from '../../src/types/jobFilters.ts';
import { fineTuning, trainingHealth, type HealthOptions } from './annotations.ts';
import { carrying, menuOf, TAG } from './links.ts';
import type { PlacedPanel } from './panels.ts';
import { dataSourceVariable } from './variables.ts';

/** A dashboard, from top to bottom. */
interface Board {
  /** Part of its address: links and imports go by it, so it never changes. */
  uid: string;
  title: string;
  /** What it answers: its description, and the heading above its panels. */
  question: string;
  description: string;
  /** How often it reads again: every minute if it is missing, `never` for reports over days. */
  refresh?: '5m' | 'never';
  /** Beside the data source, in the order shown. A variable may use those before it. */
  variables: Array<Builder<VariableModel>>;
  sections: Section[];
  /**
   * The panels over which fine-tuning jobs and checkpoints are drawn. `lanes` belong right below the first. `offered` is a switch
   * that is off at first; there is none if it is missing.
   */
  annotated?: 'offered' | PlacedPanel[];
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
  /** Folded at first: metrics that many platforms don't have. Nothing is read before it is opened. */
  folded?: true;
  panels: PlacedPanel[];
}

export function board({
  uid,
  title,
  question,
  description,
  refresh,
  variables,
  sections,
  annotated,
  annotatedJobs = {},
  health = [],
  from = 'now-6h',
}: Board) {
  const dashboard = new DashboardBuilder(title)
    .uid(uid)
    .description(`${question} ${description}`)
    .tags([TAG])
    .editable()
    .tooltip(DashboardCursorSync.Crosshair)
    .time({ from, to: 'now' })
    .refresh(refresh === 'never' ? '' : (refresh ?? '1m'))
    .timezone('browser');
  menuOf(uid).forEach((link) => dashboard.link(inSight(link)));
  [dataSourceVariable(), ...variables].forEach((variable) => dashboard.withVariable(variable));
  const names = variables.map((variable) => variable.build().name);
  const placed = layOut([{ ...sections[0], title: sections[0].title ?? question }, ...sections.slice(1)], (panel) =>
    carrying(panel, names)
  );
  if (annotated) {
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
  /** Of a folded row. */
  inside?: Array<{ own: Builder<Panel>; panel: Panel }>;
}

function numberOf(builder: Builder<Panel>, placed: Placed[]): number {
  const found = placed.flatMap(({ builder: own, panel, inside = [] }) => [{ own, panel }, ...inside]);
  return found.find(({ own }) => own === builder)?.panel.id ?? 0;
}

/** Gives every panel its number, in the order shown, and its place. */
function layOut(sections: Section[], finished: (panel: Panel) => Panel): Placed[] {
  const placed: Placed[] = [];
  let count = 0;
  let x = 0;
  let y = 0;
  let lineHeight = 0;
  const nextLine = () => {
    y += lineHeight;
    x = lineHeight = 0;
  };
  const at = <P extends Panel | RowPanel>(panel: P, width: number, height: number): P => {
    if (x + width > 24) {
      nextLine();
    }
    const here = { ...panel, id: ++count, gridPos: { x, y, w: width, h: height } };
    x += width;
    lineHeight = Math.max(lineHeight, height);
    return here;
  };
  for (const { title, folded, panels } of sections) {
    nextLine();
    let row: RowPanel | undefined;
    if (title) {
      const builder = new RowBuilder(title).collapsed(folded ?? false);
      row = at(builder.build(), 24, 1);
      placed.push({ builder, panel: row });
      nextLine();
    }
    const own = panels.map(({ panel: builder, width, height }) => ({
      own: builder,
      panel: at(finished(builder.build()), width, height),
    }));
    if (row && folded) {
      row.panels = own.map(({ panel }) => panel);
      placed.at(-1)!.inside = own;
      x = lineHeight = 0;
      y = row.gridPos!.y + 1;
    } else {
      own.forEach(({ own: builder, panel }) => placed.push({ builder, panel }));
    }
  }
  return placed;
}
