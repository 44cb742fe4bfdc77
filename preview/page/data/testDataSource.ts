import { HealthCheckError } from '@grafana/runtime';
import { type DataSource } from '../plugin/loadPlugin';

export interface TestResult {
  status: 'success' | 'error';
  message: string;
  /** A further sentence, where the data source has one. */
  details?: string;
}

/** Asks the data source to test itself, and reads its answer as Grafana's settings page does. */
export async function testDataSource(datasource: DataSource): Promise<TestResult> {
  try {
    const { status, message, details } = await datasource.testDatasource();
    return { status: status === 'error' ? 'error' : 'success', message, details: textOf(details?.message) };
  } catch (failure) {
    return describe(failure);
  }
}

function describe(failure: unknown): TestResult {
  const { message, error } = failure as { message?: string; error?: unknown };
  if (error instanceof HealthCheckError) {
    return { status: 'error', message: error.message, details: textOf(error.details?.message) };
  }
  return { status: 'error', message: message ?? 'The test failed.' };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
