import { type DataFrame, type DataLink, type Field, type LinkModel } from '@grafana/data';
import { type Query } from '../plugin/loadPlugin';

const fieldOfRow = /\$\{__data\.fields\.([^:}]+)(?::(\w+))?}/g;

/** Gives each field that has links the links of its rows, with the row's values filled in, as Grafana does. */
export function withLinks(frame: DataFrame, openQuery: (query: Query) => void): DataFrame {
  const fields = frame.fields.map((field): Field => {
    const { links } = field.config;
    if (!links?.length) {
      return field;
    }
    const getLinks: Field['getLinks'] = ({ valueRowIndex: row = 0 }) =>
      links.map((link) => linkOf(link, field, (text) => fill(text, frame, row), openQuery));
    return { ...field, getLinks };
  });
  return { ...frame, fields };
}

function linkOf(
  { title, url, targetBlank, internal }: DataLink,
  origin: Field,
  fillIn: (text: string) => string,
  openQuery: (query: Query) => void
): LinkModel<Field> {
  if (!internal) {
    return { title: fillIn(title), href: fillIn(url), target: targetBlank ? '_blank' : undefined, origin };
  }
  const query: Query = JSON.parse(JSON.stringify(internal.query), (_key, value) =>
    typeof value === 'string' ? fillIn(value) : value
  );
  return { title: fillIn(title), href: '#/query', target: undefined, origin, onClick: () => openQuery(query) };
}

/** Replaces `${__data.fields.name}` by the row's value; with `:percentencode` it is fit for an address. */
function fill(text: string, frame: DataFrame, row: number): string {
  return text.replace(fieldOfRow, (_match, name: string, format?: string) => {
    const value = String(frame.fields.find((field) => field.name === name)?.values[row] ?? '');
    return format === 'percentencode' ? encodeURIComponent(value) : value;
  });
}
