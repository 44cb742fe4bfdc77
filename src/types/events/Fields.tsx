import React from 'react';
import type { FineTuningEventsQuery } from './query';
import { JobsRow } from '../../fields/JobFilterFields';
import { ListField } from '../../fields/ListField';
import type { FieldsProps } from '../definition';

export const Fields = (props: FieldsProps<FineTuningEventsQuery>) => (
  <JobsRow {...props}>
    <ListField {...props} option="levels" />
  </JobsRow>
);
