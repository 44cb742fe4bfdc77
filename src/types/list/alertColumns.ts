import type { ReadyMadeList } from '../../catalog/lists';
import type { Column } from './query';

/** The columns of a ready-made list that an alert rule can evaluate: one number, and the text that names its item. */
export function alertColumns({ columns, alertOn }: Pick<ReadyMadeList, 'columns' | 'alertOn'>): Column[] | undefined {
  return alertOn && columns.filter(({ selector }) => alertOn.includes(selector));
}
