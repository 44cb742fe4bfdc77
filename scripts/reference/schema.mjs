// The schema of queries, settings and resources that Grafana's API server and assistants read, from the reference pages, which tests compare
// with the code.
//
// Format: https://github.com/grafana/grafana-plugin-sdk-go/tree/main/experimental/pluginschema
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../lib/paths.mjs';

const VERSION = 'v0alpha1';
const read = (path) => readFileSync(join(root, path), 'utf8');
const plain = (markdown) =>
  markdown
    .replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1')
    .replaceAll('_Required._', '')
    .replaceAll('\\|', '|')
    .replaceAll(': see below.', '.')
    .trim();

/** Options that hold objects, by the text before the table of their fields. */
const OBJECTS = {
  FineTuningRuns: '`source`, if its `kind` is `fineTuning`',
  SeriesRuns: '`source`, if its `kind` is `series`',
  ManualRuns: '`source`, if its `kind` is `manual`',
  ManualRun: 'Each entry of its `runs`',
  Param: 'Each entry of `params`',
  Column: 'Each entry of `columns`',
};

export function schemaFile() {
  const page = read('docs/reference/queries.md');
  const types = [...page.matchAll(/^\| `(\w+)` +\| \[([^\]]+)\]\(#/gm)].map(([, type, title]) => ({
    type,
    section: page.split(`\n## ${title}\n`)[1].split('\n## ')[0],
    title,
  }));

  /** The first table of fields after a text, as the schema of an object. */
  function fieldsAfter(section, text) {
    const [table] = /(?:^\|.*\n)+/m.exec(section.slice(section.indexOf(text)));
    const rows = [...table.matchAll(/^\| `([^`]+)` +\| `(.+?)` +\| (.*?) *\|$/gm)];
    const required = rows.filter(([, , , meaning]) => meaning.endsWith('_Required._')).map(([, name]) => name);
    return {
      type: 'object',
      ...(required.length > 0 && { required }),
      properties: Object.fromEntries(
        rows.map(([, name, type, meaning]) => [
          name,
          { ...(plain(meaning) && { description: plain(meaning) }), ...schemaOf(type.replaceAll('\\|', '|')) },
        ])
      ),
    };
  }

  /** The schema of a type as TypeScript writes it. */
  function schemaOf(type) {
    const item = /^\(?([^)]*)\)?\[\]$/.exec(type);
    if (item) {
      return { type: 'array', items: schemaOf(item[1]) };
    }
    const parts = type.split(' | ');
    if (parts.every((part) => part.startsWith('"'))) {
      return { type: 'string', enum: parts.map((part) => JSON.parse(part)) };
    }
    return parts.length > 1 ? { anyOf: parts.map(schemaOf) } : type in OBJECTS ? objectOf(type) : { type };
  }

  const objectOf = (name) => fieldsAfter(page.slice(page.indexOf(OBJECTS[name])), OBJECTS[name]);

  const example = (section) => JSON.parse(/```json\n([\s\S]+?)```/.exec(section)[1]);

  return JSON.stringify(
    {
      targetApiVersion: VERSION,
      settings: settings(),
      routes: { paths: resources() },
      queryTypes: {
        kind: 'QueryTypeDefinitionList',
        apiVersion: 'datasource.grafana.app/v0alpha1',
        metadata: { resourceVersion: '1' },
        items: types.map(({ type, section, title }) => ({
          metadata: { name: type, resourceVersion: '1' },
          spec: {
            description: title,
            discriminators: [{ field: 'queryType', value: type }],
            schema: { $schema: 'https://json-schema.org/draft-04/schema', ...fieldsAfter(section, '```\n') },
          },
        })),
      },
      queryExamples: {
        examples: types.map(({ type, section, title }) => {
          const { refId: _, queryType: __, ...saveModel } = example(section);
          return { name: title, queryType: type, saveModel };
        }),
      },
    },
    undefined,
    1
  );
}

/** Settings and secrets, each a row of the page. */
function settings() {
  const rows = [
    ...read('docs/reference/settings.md').matchAll(/^\| `([\w.]+)` +\|([^|]*)\|([^|]*)\|.*\| *([^|]*?) *\|$/gm),
  ];
  const of = ([, name, , type, meaning]) => ({ name, type: type.trim(), description: plain(meaning) });
  const all = rows.map(of);
  const properties = {};
  for (const { name, type, description } of all.filter((one) => one.type !== 'secret')) {
    const [outer, inner] = name.split('.');
    const schema = { description, ...jsonType(name, type) };
    if (inner) {
      properties[outer] ??= { type: 'object', properties: {} };
      properties[outer].properties[inner] = schema;
    } else {
      properties[outer] = schema;
    }
  }
  return {
    spec: { type: 'object', properties: { jsonData: { type: 'object', properties } } },
    secureValues: all
      .filter(({ type }) => type === 'secret')
      .map(({ name, description }) => ({ key: name, description })),
  };
}

/** Ids may be numbers in a provisioned file. */
const IDS = ['projectId', 'organizationId'];

/** The JSON type of a setting, from how the page calls its values. */
function jsonType(name, type) {
  if (IDS.includes(name)) {
    return { anyOf: [{ type: 'string' }, { type: 'number' }] };
  }
  if (type.startsWith('list')) {
    return { type: 'array', items: { type: 'string' } };
  }
  const [first] = /^(boolean|number|object)/.exec(type) ?? ['string'];
  return { type: first };
}

/** The resources that programs use, with what they respond. tests/docs/schema_test.go requests each. */
const RESOURCES = {
  'api/v1/query': 'Evaluates PromQL at a time, as the HTTP API of Prometheus does.',
  'api/v1/query_range': 'Evaluates PromQL over a range, as the HTTP API of Prometheus does.',
  'api/v1/labels': 'Names of labels.',
  'api/v1/label/{name}/values': 'Values of a label.',
  'api/v1/series': 'Label sets of series.',
  'api/v1/metadata': 'Meanings and units of metrics.',
  federate: 'The newest samples, in the text format, for a scrape.',
  export: 'Samples of a range, in the OpenMetrics format. For the role Editor.',
  jobs: 'Fine-tuning jobs, for editors and variables.',
  models: 'Base models.',
  statuses: 'Statuses of fine-tuning jobs.',
  'checkpoints/{id}/content': 'Downloads a checkpoint as a zip archive. For the role Editor.',
};

function resources() {
  return Object.fromEntries(
    Object.entries(RESOURCES).map(([path, summary]) => [
      `/resources/${path}`,
      { get: { summary, responses: { default: { description: summary } } } },
    ])
  );
}
