import React from 'react';
import { JobsRow } from '../../fields/JobsRow';
import type { FineTuningCheckpointsQuery } from './query';
import type { FieldsProps } from '../definition';

export const Fields = (props: FieldsProps<FineTuningCheckpointsQuery>) => <JobsRow {...props} />;
