import React from 'react';
import { JobsRow } from '../../fields/JobFilterFields';
import type { FineTuningCheckpointsQuery } from './query';
import type { FieldsProps } from '../definition';

export const Fields = (props: FieldsProps<FineTuningCheckpointsQuery>) => <JobsRow {...props} />;
