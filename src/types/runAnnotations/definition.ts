import type { RunAnnotationsQuery } from './query';
import type { Definition } from '../definition';
import { newSource, sourceIsBlank, sourceProblem } from '../runSource';

export const runAnnotations: Definition<RunAnnotationsQuery> = {
  service: 'runs',
  label: 'Annotations',
  description: 'The start and the end of training runs',
  options: { source: 'source', runs: 'list' },
  inPanels: false,
  blank: ({ settings }) => ({ source: newSource(settings) }),
  isBlank: ({ source }) => sourceIsBlank(source),
  problem: ({ source }) => sourceProblem(source),
  load: async () => ({
    Fields: (await import(/* webpackChunkName: "fields" */ '../../runs/RunSourceFields')).RunSourceFields,
  }),
};
