import React, { type ComponentType } from 'react';
import { kebabCase } from 'lodash';
import { Field, RadioButtonGroup, Switch, TagsInput } from '@grafana/ui';
import { t, translated } from '../i18n';
import type { GpuCloudSecrets } from '../types';
import { setOption, settingOf, type SectionProps, type SettingName } from './section';
import { TextField, type TextFieldProps } from './TextField';

type TextSetting = Omit<TextFieldProps, 'id' | 'value' | 'onChange' | 'disabled' | 'secret'>;

/** A field of an open setting, which is saved as a text or, with the type `number`, as a number. An empty one is not saved. */
interface OptionSetting extends TextSetting {
  option: SettingName;
}

/** A credential: typed once, then shown as configured, never sent back to the browser. */
interface SecretSetting extends Omit<TextSetting, 'example' | 'type'> {
  secret: keyof GpuCloudSecrets;
  placeholder: string;
}

/** A setting that is on or off. Only the one that is not usual is saved. */
interface SwitchSetting {
  flag: SettingName;
  label: string;
  description: string;
  isUsuallyOn?: boolean;
}

interface ChoiceSetting {
  choice: SettingName;
  label: string;
  description: string;
  options: Array<{ value: string; label: string }>;
  usual: string;
}

interface LabelsSetting {
  labels: SettingName;
  label: string;
  description: string;
  placeholder: string;
}

interface OwnSetting {
  label: string;
  Field: ComponentType<SectionProps>;
}

export type Setting = OptionSetting | SwitchSetting | ChoiceSetting | LabelsSetting | SecretSetting | OwnSetting;

interface Props extends SectionProps {
  fields: readonly Setting[];
  /** Whether the fields are needed that are marked as required. True if it is missing. */
  isUsed?: boolean;
}

export const SettingFields = ({ fields, ...props }: Props) =>
  fields.map((field) => <SettingField key={field.label} {...props} field={translated(field)} />);

function SettingField({ field, isUsed = true, ...props }: Omit<Props, 'fields'> & { field: Setting }) {
  if ('Field' in field) {
    return <field.Field {...props} />;
  }
  if ('flag' in field || 'choice' in field || 'labels' in field) {
    return <ChosenField {...props} field={field} />;
  }
  const text = 'secret' in field ? secretText(field, props) : optionText(field, props);
  return <TextField {...text} required={isUsed && field.required} disabled={props.options.readOnly} />;
}

function optionText({ option, ...text }: OptionSetting, props: SectionProps): TextFieldProps {
  const save = (value: string) => (text.type === 'number' ? Number(value) : value);
  return {
    ...text,
    id: idOf(option),
    // From a variable of a provisioning file, a number arrives as a text, and a project's id may arrive as a number.
    value: String(settingOf(props, option) ?? ''),
    onChange: (value) => setOption(props, option, value === '' ? undefined : save(value)),
  };
}

function secretText({ secret, placeholder, ...text }: SecretSetting, { options, onOptionsChange }: SectionProps) {
  const provisioned = ` ${t('In the provisioning file, each $ of the value is written as $$.')}`;
  const onChange = (typed: string) =>
    onOptionsChange({
      ...options,
      secureJsonData: { ...options.secureJsonData, [secret]: typed },
      secureJsonFields: { ...options.secureJsonFields, [secret]: false },
    });
  return {
    ...text,
    id: idOf(secret),
    description: options.readOnly ? text.description + provisioned : text.description,
    example: placeholder,
    value: options.secureJsonData?.[secret] ?? '',
    onChange,
    secret: { isConfigured: Boolean(options.secureJsonFields?.[secret]), onReset: () => onChange('') },
  };
}

function ChosenField({ field, ...props }: SectionProps & { field: SwitchSetting | ChoiceSetting | LabelsSetting }) {
  const { label, description } = field;
  const { readOnly } = props.options;
  return (
    <Field label={label} description={description} disabled={readOnly} noMargin={false}>
      {'flag' in field ? (
        <Switch
          id={idOf(field.flag)}
          value={isOn(settingOf(props, field.flag) ?? field.isUsuallyOn)}
          onChange={({ currentTarget: { checked } }) =>
            setOption(props, field.flag, checked === (field.isUsuallyOn ?? false) ? undefined : checked)
          }
        />
      ) : 'choice' in field ? (
        <RadioButtonGroup
          aria-label={label}
          options={field.options.map(translated)}
          value={field.options.find(({ value }) => isSame(value, settingOf(props, field.choice)))?.value ?? field.usual}
          onChange={(value) => setOption(props, field.choice, value)}
        />
      ) : (
        <TagsInput
          id={idOf(field.labels)}
          placeholder={field.placeholder}
          tags={(settingOf(props, field.labels) as string[] | undefined) ?? []}
          disabled={readOnly}
          onChange={(labels) => setOption(props, field.labels, labels)}
        />
      )}
    </Field>
  );
}

const isSame = (value: string, saved: unknown): boolean => value.toLowerCase() === String(saved).toLowerCase();

/** From a variable of a provisioning file, the word arrives as a text. */
export const isOn = (value: unknown): boolean => Boolean(value) && String(value) !== 'false';

const idOf = (name: string) => `gpucloud-${kebabCase(name)}`;
