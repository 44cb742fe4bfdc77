import React, { useId, useMemo, type ComponentProps, type KeyboardEvent } from 'react';
import { css } from '@emotion/css';
import type { GrafanaTheme2 } from '@grafana/data';
import { getTemplateSrv } from '@grafana/runtime';
import { MultiCombobox, useStyles2, type ComboboxOption } from '@grafana/ui';
import { EditorField } from '@grafana/plugin-ui';
import { t } from '../i18n';

interface Props {
  label: string;
  tooltip?: string;
  /** For values with long names. */
  wide?: boolean;
  /** Shown while nothing is chosen: what that means. */
  placeholder: string;
  options: ComboboxOption[];
  loading?: boolean;
  /** Why there are no options, in a sentence. What is typed can be chosen all the same. */
  error?: string;
  values?: string[];
  onChange: (values: string[] | undefined) => void;
}

/** A choice of several: from a list, dashboard variables, or typed. */
export function ChoicesField({
  label,
  wide,
  tooltip,
  placeholder,
  values,
  onChange,
  error,
  options: offered,
  loading,
}: Props) {
  const id = useId();
  const width = wide ? WIDE : NARROW;
  const styles = useStyles2(getStyles, width);
  const options = useMemo(() => withVariables(offered, { loading, error }), [offered, loading, error]);
  const labels = new Map(options.map((option) => [option.value, option]));

  // Grafana's field does nothing with a text that is followed by Enter, and drops one that is followed by Tab.
  const takeTyped = ({ key, target }: KeyboardEvent) => {
    if (!['Enter', 'Tab'].includes(key) || !(target instanceof HTMLInputElement)) {
      return;
    }
    const typed = target.value.trim();
    if (typed && !target.getAttribute('aria-activedescendant')) {
      const named = options.find((option) => !option.infoOption && [option.value, option.label].includes(typed));
      const value = named?.value ?? typed;
      onChange([...(values ?? []).filter((one) => one !== value), value]);
      if (key === 'Enter') {
        // It clears its text when it is left.
        target.blur();
        target.focus();
      }
    }
  };

  return (
    <EditorField label={label} htmlFor={id} tooltip={tooltip} className={styles.field}>
      <Keys onKeyDownCapture={takeTyped}>
        <MultiCombobox
          id={id}
          isClearable
          createCustomValue
          customValueDescription={t('Use as it is typed')}
          placeholder={placeholder}
          options={options}
          // Not `loading`: the spinner stays for good if it is taken away before the page has loaded its icon.
          value={(values ?? []).map((value) => labels.get(value) ?? { value })}
          onChange={(chosen) => onChange(tidy(chosen.map(({ value }) => value)))}
        />
      </Keys>
    </EditorField>
  );
}

/** An element that the field around it can't give attributes of inputs. */
const Keys = ({ children, onKeyDownCapture }: Pick<ComponentProps<'div'>, 'children' | 'onKeyDownCapture'>) => (
  <div onKeyDownCapture={onKeyDownCapture}>{children}</div>
);

/** Of a field, in the theme's spacing: of two names, and of one. */
const WIDE = 52;
const NARROW = 30;

function withVariables(
  offered: ComboboxOption[],
  { loading, error }: Pick<Props, 'loading' | 'error'>
): ComboboxOption[] {
  const label = error ? t('The list could not be loaded. Type a value.') : t('The list is being loaded');
  const note = { value: 'note', label, description: error, infoOption: true };
  return [...(loading || error ? [note] : []), ...offered, ...variableOptions()];
}

/** The dashboard's variables, to choose from. */
export const variableOptions = (): ComboboxOption[] =>
  getTemplateSrv()
    .getVariables()
    .map(({ name }) => ({ value: `$${name}`, description: t('Dashboard variable') }));

/** Without blanks, and nothing rather than an empty list, so that saved queries stay short. */
function tidy(values: string[]): string[] | undefined {
  const tidied = values.map((value) => value.trim()).filter(Boolean);
  return tidied.length > 0 ? tidied : undefined;
}

const getStyles = (theme: GrafanaTheme2, width: number) => ({
  field: css({ marginBottom: 0, maxWidth: '100%', width: theme.spacing(width) }),
});
