import React, { useId } from 'react';
import { EditorField, EditorRow } from '@grafana/plugin-ui';
import { Combobox } from '@grafana/ui';
import { listAt, READY_MADE_LISTS, ROOT, type ReadyMadeList } from '../../catalog/lists';
import { pathProblem, type PathIds } from '../../platform/path';
import type { Column, ListQuery } from '../../platform/query';
import { ParamsField } from './ParamsField';
import { TextOption } from './TextOption';

export type Source = Pick<ListQuery, 'path' | 'params' | 'root' | 'maxPages'>;

interface Props<Query> {
  query: Query;
  onChange: (query: Query) => void;
  /** Which ids the settings have. */
  ids: PathIds;
  /** Which columns of a ready-made list are taken. Lists without any are not offered. */
  columnsOf: (list: ReadyMadeList) => Column[] | undefined;
  /** Puts a ready-made list's columns into the query. */
  withColumns: (query: Query, columns: Column[]) => Query;
}

/** Which list is read, and how: a ready-made one, or any path. */
export function SourceFields<Query extends Source>(props: Props<Query>) {
  const { query, onChange, ids, columnsOf, withColumns } = props;
  const id = useId();
  const current = listAt(query.path);
  const offered = READY_MADE_LISTS.filter(columnsOf);

  const choose = (name: string) => {
    const list = offered.find((one) => one.name === name);
    const columns = list && columnsOf(list);
    if (list && columns) {
      const { path, params } = list;
      const source: Source = { path, params, root: ROOT, maxPages: undefined };
      onChange(withColumns({ ...query, ...source }, columns));
    }
  };

  return (
    <>
      <EditorRow>
        <EditorField label="Ready-made list" htmlFor={id} tooltip="Fills in the fields below." width={30}>
          <Combobox
            id={id}
            placeholder="Choose, or enter a path"
            options={offered.map(({ name, description }) => ({ value: name, description }))}
            value={current && offered.includes(current) ? current.name : null}
            // Grafana 12's Combobox fails if the page below it changes while its menu is still open.
            onChange={({ value }) => window.setTimeout(() => choose(value))}
          />
        </EditorField>
        <TextOption
          label="Path"
          tooltip="Any path below /v1/ that answers GET. {projectId} and {organizationId} stand for the ids of the data source’s settings."
          placeholder="/v1/projects/{projectId}/quotas"
          width={60}
          value={query.path}
          check={(path) => pathProblem(path, ids)}
          onChange={(path) => onChange({ ...query, path })}
        />
        <TextOption
          label="Root"
          tooltip="Where the items are in the answer, as JSONPath."
          placeholder={ROOT}
          value={query.root ?? ''}
          onChange={(root) => onChange({ ...query, root: root || undefined })}
        />
        <TextOption
          label="Max pages"
          tooltip="How far a list with next_token is followed. A notice says when it goes on."
          placeholder="10"
          type="number"
          width={12}
          value={String(query.maxPages ?? '')}
          check={(pages) => (/^([1-9]\d?|100|)$/.test(pages) ? undefined : 'Enter a number from 1 to 100.')}
          onChange={(pages) => onChange({ ...query, maxPages: Number(pages) || undefined })}
        />
      </EditorRow>
      <EditorRow>
        <ParamsField value={query.params} onChange={(params) => onChange({ ...query, params })} />
      </EditorRow>
    </>
  );
}
