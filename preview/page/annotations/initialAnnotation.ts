import { type AnnotationQuery } from '@grafana/data';
import { type Query } from '../plugin/loadPlugin';

/** What a dashboard saves for fine-tuning jobs and their checkpoints. */
export const initialAnnotation: AnnotationQuery<Query & { show?: string[] }> = {
  name: 'Fine-tuning',
  enable: true,
  iconColor: 'blue',
  target: { refId: 'Anno', queryType: 'fineTuningAnnotations', show: ['jobs', 'checkpoints'] },
};
