import {
  catchError,
  defer,
  finalize,
  from,
  lastValueFrom,
  type Observable,
  Subject,
  takeUntil,
  throwError,
} from 'rxjs';
import { type BackendSrv, type BackendSrvRequest, type FetchError, type FetchResponse } from '@grafana/runtime';

/**
 * Grafana's HTTP client over the browser's `fetch`: JSON in and out, errors as {@link FetchError}, and a new request
 * with the `requestId` of one in flight cancels that one.
 */
export class FetchBackendSrv implements BackendSrv {
  private readonly cancelled = new Map<string, Subject<void>>();

  fetch<T>(options: BackendSrvRequest): Observable<FetchResponse<T>> {
    const response = defer(() => {
      const controller = new AbortController();
      options.abortSignal?.addEventListener('abort', () => controller.abort());
      return from(request<T>(options, controller.signal)).pipe(finalize(() => controller.abort()));
    }).pipe(catchError((error) => throwError(() => asFetchError(error, options))));
    const { requestId } = options;
    if (!requestId) {
      return response;
    }
    this.cancelled.get(requestId)?.next();
    const cancel = new Subject<void>();
    this.cancelled.set(requestId, cancel);
    return response.pipe(takeUntil(cancel));
  }

  chunked(): never {
    throw new Error('The preview does not stream.');
  }

  async request<T = unknown>(options: BackendSrvRequest): Promise<T> {
    return (await this.datasourceRequest<T>(options)).data;
  }

  datasourceRequest<T = unknown>(options: BackendSrvRequest): Promise<FetchResponse<T>> {
    return lastValueFrom(this.fetch<T>(options));
  }

  get<T>(url: string, params?: BackendSrvRequest['params'], requestId?: string, options?: Partial<BackendSrvRequest>) {
    return this.request<T>({ ...options, method: 'GET', url, params, requestId });
  }

  delete = this.sending('DELETE');
  post = this.sending('POST');
  patch = this.sending('PATCH');
  put = this.sending('PUT');

  private sending(method: string) {
    return <T>(url: string, data?: unknown, options?: Partial<BackendSrvRequest>) =>
      this.request<T>({ ...options, method, url, data });
  }
}

async function request<T>(options: BackendSrvRequest, signal: AbortSignal): Promise<FetchResponse<T>> {
  const headers = new Headers(options.headers);
  let body: BodyInit | undefined;
  if (options.data !== undefined && options.data !== null) {
    const isForm = headers.get('Content-Type')?.startsWith('application/x-www-form-urlencoded');
    headers.set('Content-Type', isForm ? 'application/x-www-form-urlencoded' : 'application/json');
    body = isForm ? searchParams(options.data) : JSON.stringify(options.data);
  }
  const target = new URL(options.url.replace(/^\//, ''), document.baseURI);
  searchParams(options.params ?? {}).forEach((value, name) => target.searchParams.append(name, value));
  const response = await fetch(target, { method: options.method ?? 'GET', headers, body, signal });
  const { status, statusText, ok, redirected, type, url } = response;
  const data = parseJson(await response.text());
  const result = { status, statusText, ok, headers: response.headers, redirected, type, url, config: options };
  if (!ok) {
    // Grafana's rule: an error always has a message, the server's if it sent one.
    const sent = typeof data === 'object' && data !== null ? data : { message: data };
    throw { ...result, data: { error: statusText, message: statusText, ...sent } };
  }
  return { ...result, data: data as T };
}

function searchParams(values: Record<string, unknown>): URLSearchParams {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    for (const item of [value].flat()) {
      if (item !== undefined && item !== null) {
        params.append(name, String(item));
      }
    }
  }
  return params;
}

function parseJson(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return text;
  }
}

function asFetchError(error: unknown, config: BackendSrvRequest): FetchError {
  if (typeof error === 'object' && error !== null && 'status' in error) {
    return error as FetchError;
  }
  const cancelled = error instanceof DOMException && error.name === 'AbortError';
  const message = cancelled ? 'Request was aborted' : 'The preview cannot be reached. Is it still running?';
  return { status: cancelled ? -1 : 0, statusText: message, message, cancelled, config, data: { message } };
}
