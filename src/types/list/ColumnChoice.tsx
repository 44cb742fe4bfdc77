import React, { useId } from 'react';
import { css } from '@emotion/css';
import type { GrafanaTheme2 } from '@grafana/data';
import { EditorField } from '@grafana/plugin-ui';
import { MultiCombobox, useStyles2 } from '@grafana/ui';
import type { Column } from './query';
import { TYPE_NAMES } from './ColumnsField';

interface Props {
  value: Column[] | undefined;
  onChange: (columns: Column[] | undefined) => void;
  /** What a ready-made list has. */
  members: Column[];
  /** What is wrong with the columns. */
  error?: string;
}

/** Which members of each item are columns. Their titles, types and units are in the options. */
export function ColumnChoice({ value: columns = [], onChange, members, error }: Props) {
  const id = useId();
  const styles = useStyles2(getStyles);
  const options = members.map(({ selector, type }) => ({ value: selector, description: type && TYPE_NAMES[type] }));
  const selectors = [...new Set(columns.map(({ selector }) => selector))];

  const choose = (chosen: string[]) => {
    const remaining = columns.filter(({ selector }) => chosen.includes(selector));
    const added = chosen
      .map((selector) => selector.trim())
      .filter((selector) => selector !== '' && !selectors.includes(selector))
      .map((selector) => members.find((member) => member.selector === selector) ?? { selector });
    const changed = [...remaining, ...added];
    onChange(changed.length > 0 ? changed : undefined);
  };

  return (
    <EditorField
      label="Columns"
      htmlFor={id}
      className={styles.field}
      tooltip="Members of each item. The names on the way to a nested one are joined by dots. Titles, types and units are in the options."
      invalid={Boolean(error)}
      error={error}
    >
      <MultiCombobox
        id={id}
        isClearable
        createCustomValue
        customValueDescription="Use as a member"
        placeholder="All members that hold a single value"
        options={options}
        value={selectors.map((selector) => ({ value: selector }))}
        onChange={(chosen) => choose(chosen.map(({ value }) => value))}
      />
    </EditorField>
  );
}

const getStyles = (theme: GrafanaTheme2) => ({
  field: css({ marginBottom: 0, maxWidth: '100%', width: theme.spacing(92) }),
});
