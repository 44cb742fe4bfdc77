import {
  applyFieldOverrides,
  cacheFieldDisplayNames,
  type DataFrame,
  type DataLinkPostProcessor,
  FieldColorModeId,
  FieldType,
  type GrafanaTheme2,
  mapInternalLinkToExplore,
  type ScopedVars,
} from '@grafana/data';
import { templateSrv } from '../grafana/runtime';

/** Does what Grafana does to frames before a panel gets them: a name, a color, a formatter and the links of each field. */
export function prepareFrames(frames: DataFrame[], theme: GrafanaTheme2): DataFrame[] {
  const drawn = { color: { mode: FieldColorModeId.PaletteClassic }, custom: { lineWidth: 1, showPoints: 'never' } };
  const prepared = applyFieldOverrides({
    data: frames.map((frame) => ({
      ...frame,
      fields: frame.fields.map((field) =>
        field.type === FieldType.number ? { ...field, config: { ...drawn, ...field.config } } : field
      ),
    })),
    fieldConfig: { defaults: {}, overrides: [] },
    replaceVariables: (text, vars) => templateSrv.replace(text, { ...vars, ...rowOf(vars) }),
    theme,
    timeZone: 'browser',
    dataLinkPostProcessor: toQueryView,
  });
  cacheFieldDisplayNames(prepared);
  return prepared;
}

/** The variable `__data`, for the row that a link is in. */
function rowOf(vars: ScopedVars = {}): ScopedVars {
  const { frame, rowIndex = 0 } = vars.__dataContext?.value ?? {};
  const fields = (frame as DataFrame | undefined)?.fields.map(({ name, values }) => [name, values[rowIndex]]) ?? [];
  return { __data: { text: '', value: { fields: Object.fromEntries(fields) } } };
}

/** A link to Explore leads to the preview's query view. */
const toQueryView: DataLinkPostProcessor = ({ link, linkModel, field, dataLinkScopedVars, replaceVariables }) => {
  if (!link.internal) {
    return linkModel;
  }
  const explore = { link, internalLink: link.internal, scopedVars: dataLinkScopedVars, field, replaceVariables };
  const model = mapInternalLinkToExplore(explore);
  const query = encodeURIComponent(JSON.stringify(model.interpolatedParams?.query));
  return { ...model, href: `#/query?${query}` };
};
