import React, { type ComponentProps } from 'react';
import { css } from '@emotion/css';
import { RadioButtonGroup } from '@grafana/ui';

/** Buttons of which one is chosen, in as many rows as a narrow window needs. */
export function ChoiceGroup<T>(props: Omit<ComponentProps<typeof RadioButtonGroup<T>>, 'className'>) {
  return <RadioButtonGroup {...props} className={wrapping} />;
}

const wrapping = css({ flexWrap: 'wrap', maxWidth: '100%' });
