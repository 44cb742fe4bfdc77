import { catchError, defer, lastValueFrom, type Observable, Subject, takeUntil } from 'rxjs';
import { fromFetch } from 'rxjs/fetch';
import { type BackendSrv, type BackendSrvRequest, type FetchResponse } from '@grafana/runtime';

const canceled = new Map<string, Subject<void>>();

/**
 * Grafana's HTTP client over the browser's `fetch`: JSON or a form in, JSON out, errors as Grafana's `FetchError`, and a new
 * request with the `requestId` of one in flight cancels that one. What no data source calls is missing.
 */
export const backendSrv = {
  fetch,
  get: <T>(
    url: string,
    params?: BackendSrvRequest['params'],
    requestId?: string,
    options?: Partial<BackendSrvRequest>
  ) => send<T>({ ...options, method: 'GET', url, params, requestId }),
  post: <T>(url: string, data?: unknown, options?: Partial<BackendSrvRequest>) =>
    send<T>({ ...options, method: 'POST', url, data }),
  put: <T>(url: string, data?: unknown, options?: Partial<BackendSrvRequest>) =>
    send<T>({ ...options, method: 'PUT', url, data }),
} as BackendSrv;

const send = async <T>(options: BackendSrvRequest) => (await lastValueFrom(fetch<T>(options))).data;

function fetch<T>(options: BackendSrvRequest): Observable<FetchResponse<T>> {
  const { requestId } = options;
  const response = defer(() => request<T>(options)).pipe(
    catchError((error) => {
      const message = 'The preview cannot be reached. Is it still running?';
      throw 'status' in error ? error : { status: 0, statusText: message, message, config: options, data: { message } };
    })
  );
  if (!requestId) {
    return response;
  }
  canceled.get(requestId)?.next();
  const cancel = new Subject<void>();
  canceled.set(requestId, cancel);
  return response.pipe(takeUntil(cancel));
}

function request<T>(config: BackendSrvRequest): Observable<FetchResponse<T>> {
  const headers = new Headers(config.headers);
  const isForm = headers.get('Content-Type')?.startsWith('application/x-www-form-urlencoded');
  if (config.data && !isForm) {
    headers.set('Content-Type', 'application/json');
  }
  const address = new URL(config.url.replace(/^\//, ''), document.baseURI);
  searchParams(config.params ?? {}).forEach((value, name) => address.searchParams.append(name, value));
  return fromFetch(String(address), {
    method: config.method ?? 'GET',
    headers,
    body: config.data && (isForm ? searchParams(config.data) : JSON.stringify(config.data)),
    selector: async (response) => {
      const { status, statusText, ok, redirected, type, url } = response;
      const data = parse(await response.text());
      const result = { status, statusText, ok, headers: response.headers, redirected, type, url, config };
      if (!ok) {
        // Grafana's rule: an error always has a message, the server's if it sent one.
        throw { ...result, data: { error: statusText, message: statusText, ...(data as object) } };
      }
      return { ...result, data: data as T };
    },
  });
}

function searchParams(values: Record<string, unknown>): URLSearchParams {
  const all = Object.entries(values).flatMap(([name, value]) =>
    [value].flat().map((item) => [name, String(item ?? '')])
  );
  return new URLSearchParams(all);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text === '' ? undefined : { message: text };
  }
}
