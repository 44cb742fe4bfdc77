import { createContext } from 'react';
import { type DataFrame, type DataLink, type Field, type LinkModel } from '@grafana/data';
import { templateSrv } from '../grafana/runtime';
import { type Query } from '../plugin/loadPlugin';

/** Shows a query in the query view, as a link to Explore does in Grafana. */
export const OpenQuery = createContext<(query: Query) => void>(() => {});

/** Gives each field that has links the links of its rows, with the row's values filled in, as Grafana does. */
export function withLinks(frame: DataFrame, openQuery: (query: Query) => void): DataFrame {
  const fields = frame.fields.map((field): Field => {
    const { links = [] } = field.config;
    const getLinks: Field['getLinks'] = ({ valueRowIndex: row = 0 }) => {
      const values = Object.fromEntries(frame.fields.map(({ name, values }) => [name, values[row]]));
      const fill = (text: string) => templateSrv.replace(text, { __data: { text: '', value: { fields: values } } });
      return links.map((link) => linkOf(link, field, fill, openQuery));
    };
    return links.length > 0 ? { ...field, getLinks } : field;
  });
  return { ...frame, fields };
}

function linkOf(
  { title, url, targetBlank, internal }: DataLink,
  origin: Field,
  fill: (text: string) => string,
  openQuery: (query: Query) => void
): LinkModel<Field> {
  if (!internal) {
    return { title: fill(title), href: fill(url), target: targetBlank ? '_blank' : undefined, origin };
  }
  const query: Query = JSON.parse(JSON.stringify(internal.query), (_key, value) =>
    typeof value === 'string' ? fill(value) : value
  );
  return { title: fill(title), href: '#/query', target: undefined, origin, onClick: () => openQuery(query) };
}
