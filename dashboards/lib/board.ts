import type { TrainingHealthQuery } from '../../src/types/trainingHealth/query.ts';
import type { FineTuningAnnotationsQuery } from '../../src/types/jobAnnotations/query.ts';
import { dataSource } from './dataSource.ts';
import { notCollected, type Need } from './collected.ts';
import { menuOf, TAG, toNeeds } from './links.ts';
import type { Panel } from './panels.ts';
import { dataSourceVariable, type Variable } from './variables.ts';

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
  variables: Variable[];
  /** The families of metrics that it shows, GPUs if it is missing: which of them are not collected is said above it. */
  needs?: Need[];
  /** The first has the question as its title. */
  sections: [{ panels: Lines }, ...Section[]];
  annotations?: Annotation[];
  /** How far back it shows at first: `now-6h` if it is missing. */
  from?: string;
}

/** What is drawn over a panel of its dashboard, as points, or as regions where few overlap: over all without one, if somebody switches it on. */
interface Annotation {
  name: string;
  query: FineTuningAnnotationsQuery | TrainingHealthQuery;
  over?: Panel;
}

/** A part of a dashboard. */
interface Section {
  title: string;
  /** Folded at first: metrics that many platforms don't have. Nothing is read before it is opened. */
  folded?: true;
  panels: Lines;
}

/** From top to bottom. Panels of a list are beside each other, at the same width and height. */
type Lines = Array<Panel | Panel[]>;

/** A panel with its number and its place. A row has those that are folded away. */
export interface PlacedPanel extends Panel {
  id: number;
  gridPos: { x: number; y: number; w: number; h: number };
  panels?: PlacedPanel[];
}

export function board({ uid, title, question, description, refresh, variables, from = 'now-6h', ...shown }: Board) {
  const [first, ...others] = shown.sections;
  const { panels, numberOf } = layOut([{ ...first, title: question }, ...others]);
  return {
    uid,
    title,
    description: `${question} ${description}`,
    tags: [TAG],
    editable: true,
    // A crosshair in all charts.
    graphTooltip: 1,
    time: { from, to: 'now' },
    timezone: 'browser',
    refresh: refresh === 'never' ? '' : (refresh ?? '1m'),
    schemaVersion: 42,
    links: [menuOf(uid), toNeeds],
    templating: { list: [dataSourceVariable(), ...variables, notCollected(shown.needs ?? ['GPUs'])] },
    annotations: {
      list: (shown.annotations ?? []).map(({ name, query, over }) => ({
        name,
        datasource: dataSource,
        enable: over !== undefined,
        // Or Grafana would give running jobs and what is for information another color.
        iconColor: 'blue',
        target: query,
        filter: over && { exclude: false, ids: [numberOf(over)] },
      })),
    },
    panels: panels.map((panel) => reading(panel, numberOf)),
  };
}

/** How wide a dashboard is. */
const COLUMNS = 24;

/**
 * Most points a line has, for each column it is wide. A column is some 70 pixels on a large screen. Grafana rounds the step to a pretty one,
 * which may be the shorter, so a line can have up to twice as many points.
 */
const POINTS_PER_COLUMN = 20;

/** Grafana's own data source of what panels of the dashboard have read. */
const DASHBOARD = { type: 'datasource', uid: '-- Dashboard --' };

/** A panel that shows the result of another, with the number of that. */
function reading({ resultOf, ...panel }: PlacedPanel, numberOf: (panel: Panel) => number): PlacedPanel {
  return resultOf
    ? { ...panel, datasource: DASHBOARD, targets: [{ refId: 'A', datasource: DASHBOARD, panelId: numberOf(resultOf) }] }
    : panel;
}

/** Gives every panel its number, in the order shown, and its place. */
function layOut(sections: Section[]): { panels: PlacedPanel[]; numberOf: (panel: Panel) => number } {
  const numbers = new Map<Panel, number>();
  let y = 0;
  const line = (one: Panel | Panel[]): PlacedPanel[] => {
    const beside = [one].flat();
    const w = COLUMNS / beside.length;
    const h = Math.max(...beside.map(({ gridPos }) => gridPos.h));
    const placed = beside.map((panel, index) => {
      numbers.set(panel, numbers.size + 1);
      const { maxDataPoints = POINTS_PER_COLUMN * w } = panel;
      const points = panel.targets ? { maxDataPoints } : {};
      return { ...panel, ...points, id: numbers.size, gridPos: { x: index * w, y, w, h } };
    });
    y += h;
    return placed;
  };
  const panels = sections.flatMap(({ title, folded = false, panels }) => {
    const [row] = line({ type: 'row', title, collapsed: folded, gridPos: { h: 1 } });
    const top = y;
    const below = panels.flatMap(line);
    if (folded) {
      // What is folded takes no room.
      y = top;
    }
    return folded ? [{ ...row, panels: below }] : [{ ...row, panels: [] }, ...below];
  });
  const numberOf = (panel: Panel) => {
    const number = numbers.get(panel);
    if (number === undefined) {
      throw new Error(`The panel "${panel.title}" is not on its dashboard.`);
    }
    return number;
  };
  return { panels, numberOf };
}
