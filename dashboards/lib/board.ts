import { saved, type Annotation } from './annotations.ts';
import { carrying, menuOf, TAG } from './links.ts';
import { BRIEFLY, FAILED, type Panel } from './panels.ts';
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
  /** The first has the question as its title. */
  sections: [{ panels: Panel[] }, ...Section[]];
  annotations?: Annotation[];
  /** How far back it shows at first: `now-6h` if it is missing. */
  from?: string;
}

/** A part of a dashboard. Its panels are laid out from left to right, then in the next line. */
interface Section {
  title: string;
  /** Folded at first: metrics that many platforms don't have. Nothing is read before it is opened. */
  folded?: true;
  panels: Panel[];
}

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
    links: [menuOf(uid)],
    templating: { list: [dataSourceVariable(), ...variables] },
    annotations: { list: shown.annotations?.map((annotation) => saved(annotation, numberOf)) ?? [] },
    panels: carrying(
      panels,
      variables.map(({ name }) => name)
    ),
  };
}

/** Says why there is nothing once: where a platform lacks metrics, a dashboard would be a page of the same sentence. */
function onceExplained(): (panel: Panel) => Panel {
  const said = new Set<unknown>();
  return (panel) => {
    const { fieldConfig } = panel;
    const why = fieldConfig?.defaults.noValue;
    if (!fieldConfig || why === FAILED || !said.has(why)) {
      said.add(why);
      return panel;
    }
    return { ...panel, fieldConfig: { ...fieldConfig, defaults: { ...fieldConfig.defaults, noValue: BRIEFLY } } };
  };
}

/** Gives every panel its number, in the order shown, and its place. */
function layOut(sections: Section[]): { panels: PlacedPanel[]; numberOf: (panel: Panel) => number } {
  const numbers = new Map<Panel, number>();
  const explained = onceExplained();
  let [x, y, lineHeight] = [0, 0, 0];
  const nextLine = () => {
    y += lineHeight;
    x = lineHeight = 0;
  };
  const at = (panel: Panel): PlacedPanel => {
    const { w, h } = panel.gridPos;
    if (x + w > 24) {
      nextLine();
    }
    numbers.set(panel, numbers.size + 1);
    const here = { ...explained(panel), id: numbers.size, gridPos: { x, y, w, h } };
    x += w;
    lineHeight = Math.max(lineHeight, h);
    return here;
  };
  const panels = sections.flatMap(({ title, folded = false, panels }) => {
    nextLine();
    const row = at({ type: 'row', title, collapsed: folded, gridPos: { w: 24, h: 1 } });
    nextLine();
    const top = y;
    const below = panels.map(at);
    if (folded) {
      [x, y, lineHeight] = [0, top, 0];
    }
    return folded ? [{ ...row, panels: below }] : [{ ...row, panels: [] }, ...below];
  });
  return { panels, numberOf: (panel) => numbers.get(panel)! };
}
