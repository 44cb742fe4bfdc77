import type { RunAnnotationsQuery } from './query';
import type { Definition } from '../definition';
import { newSource, sourceIsBlank } from '../runSource';

export const runAnnotations: Definition<RunAnnotationsQuery> = {
  service: 'runs',
  label: 'Annotations',
  description: 'The start and the end of training runs',
  options: { source: 'source', runs: 'list' },
  inPanels: false,
  blank: ({ settings }) => ({ source: newSource(settings) }),
  isBlank: ({ source }) => sourceIsBlank(source),
  load: async () => ({
    Fields: (await import(/* webpackChunkName: "fields" */ '../../runs/RunSourceFields')).RunSourceFields,
  }),
};
