import React, { useId, type ReactNode } from 'react';
import { EditorField, EditorRow, QueryOptionGroup } from '@grafana/plugin-ui';
import { Combobox } from '@grafana/ui';
import { t } from '../../i18n';
import { listAt, READY_MADE_LISTS, ROOT, type ReadyMadeList } from '../../catalog/lists';
import { countUpTo } from '../../config/validation';
import type { Column, ListQuery, Param } from './query';
import { number } from '../../saved/readers';
import { RowsField } from '../../fields/Rows';
import { textColumn } from '../../fields/textColumn';
import { TextOption } from '../../fields/TextOption';

const PARAMETERS = [
  textColumn<Param>({ title: 'Name', member: 'name', example: 'start_time' }),
  textColumn<Param>({ title: 'Value', member: 'value', example: '$__timeFrom()' }),
];

const BLANK_PARAMETER: Param = { name: '', value: '' };

type Source = Pick<ListQuery, 'path' | 'params' | 'root' | 'maxPages'> & Partial<Pick<ListQuery, 'columns'>>;

interface Props<Query> {
  query: Query;
  onChange: (query: Query) => void;
  /** Which columns of a ready-made list are taken. Lists without any are not offered. */
  columnsOf: (list: ReadyMadeList) => Column[] | undefined;
  /** Puts a ready-made list's columns into the query. */
  withColumns: (query: Query, columns: Column[] | undefined) => Query;
  /** What of the items is used, below the list itself. */
  children?: ReactNode;
  /** Further options, in the group that is folded at first. */
  options?: ReactNode;
}

/** Which list is read, and how: a ready-made one, or any path. What most queries leave as it is is folded. */
export function SourceFields<Query extends Source>(props: Props<Query>) {
  const { query, onChange, columnsOf, withColumns, children, options } = props;
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

  // What a ready-made list has filled in is of that list. With other ids in its path it stays the same.
  const changePath = (path: string) => {
    const isKept = current === undefined || listAt(path) === current;
    onChange(
      isKept ? { ...query, path } : withColumns({ ...query, path, params: undefined, root: undefined }, undefined)
    );
  };

  return (
    <>
      <EditorRow>
        <EditorField
          label={t('Ready-made list')}
          htmlFor={id}
          tooltip={t('Fills in the fields of the list.')}
          width={30}
        >
          <Combobox
            id={id}
            placeholder={t('Choose, or enter a path')}
            options={offered.map(({ name, description }) => ({
              value: name,
              label: t(name),
              description: t(description),
            }))}
            value={current && offered.includes(current) ? current.name : null}
            // Grafana 12's Combobox fails if the page below it changes while its menu is still open.
            onChange={({ value }) => window.setTimeout(() => choose(value))}
          />
        </EditorField>
        <TextOption
          label={t('Path')}
          tooltip={t(
            'Any path below /v1/ that takes GET requests. {projectId} and {organizationId} stand for the ids of the data source’s settings.'
          )}
          example="/v1/projects/{projectId}/quotas"
          width={60}
          value={query.path}
          check={(path) =>
            path.startsWith('/v1/') ? undefined : t('Enter a path below /v1/, such as /v1/capacities.')
          }
          onChange={changePath}
        />
      </EditorRow>
      {children}
      <EditorRow>
        <QueryOptionGroup title={t('Options')} collapsedInfo={summary(query)}>
          <TextOption
            label={t('Root')}
            tooltip={t('Where the items are in the response: the names on the way, joined by dots.')}
            example={ROOT}
            value={query.root ?? ''}
            onChange={(root) => onChange({ ...query, root: root || undefined })}
          />
          <TextOption
            label={t('Max pages')}
            tooltip={t('How far a list with next_token is followed. A notice says when it goes on.')}
            example="10"
            width={12}
            value={String(query.maxPages ?? '')}
            check={countUpTo(100)}
            onChange={(pages) => onChange({ ...query, maxPages: number(pages) as Source['maxPages'] })}
          />
          <RowsField
            label={t('Parameters')}
            optional
            tooltip={t(
              '$__timeFrom() and $__timeTo() stand for the ends of the time range. Values may be dashboard variables; several values are joined by commas.'
            )}
            itemLabel={t('parameter')}
            columns={PARAMETERS}
            items={query.params}
            onChange={(params) => onChange({ ...query, params })}
            blank={BLANK_PARAMETER}
            required="name"
          />
          {options}
        </QueryOptionGroup>
      </EditorRow>
    </>
  );
}

/** The folded options in a line. */
function summary({ root, maxPages, params = [], columns = [] }: Source): string[] {
  const names = params.map(({ name }) => name).join(', ');
  const titles = columns.map(({ name, selector }) => name || selector).join(', ');
  return [
    t('Root: {{root}}', { root: root || ROOT }),
    t('Max pages: {{pages}}', { pages: maxPages ?? 10 }),
    t('Parameters: {{names}}', { names: names || t('none') }),
    ...(titles ? [t('Columns: {{titles}}', { titles })] : []),
  ];
}
