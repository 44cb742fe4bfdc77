import type { ReadyMadeList } from '../../catalog/lists';
import type { Column, ListQuery } from './query';

/** The columns of a ready-made list that an alert rule can evaluate: one number, and the text that names its item. */
export function alertColumns({ columns, alertOn }: Pick<ReadyMadeList, 'columns' | 'alertOn'>): Column[] | undefined {
  return alertOn && columns.filter(({ selector }) => alertOn.includes(selector));
}

/**
 * Says why an alert rule can't evaluate a list, as the backend would. A list over time has as many series as it has
 * numbers; otherwise it needs exactly one number. Columns without a type are decided by their values.
 */
export function alertError({ columns = [], timeColumn }: ListQuery): string | undefined {
  if (timeColumn || columns.some(({ type }) => type === undefined)) {
    return undefined;
  }
  const numbers = columns.filter(({ type }) => type === 'number');
  if (columns.length === 0 || numbers.length === 1) {
    return undefined;
  }
  return numbers.length === 0
    ? 'None of these columns has numbers. Add one, such as a count.'
    : `${numbers.length} columns have numbers: ${numbers.map(({ name, selector }) => name || selector).join(', ')}. Keep one of them.`;
}
