import {
  catchError,
  from,
  lastValueFrom,
  Observable,
  type ObservableInput,
  Subject,
  takeUntil,
  throwError,
} from 'rxjs';
import { AppEvents, type EventBus } from '@grafana/data';
import { type BackendSrv, type BackendSrvRequest, type FetchError, type FetchResponse } from '@grafana/runtime';

/**
 * Grafana's HTTP client over the browser's `fetch`: JSON in and out, errors as {@link FetchError}, and a new request
 * with the `requestId` of one in flight cancels that one.
 */
export class FetchBackendSrv implements BackendSrv {
  private readonly cancelled = new Map<string, Subject<void>>();

  constructor(private readonly appEvents: EventBus) {}

  fetch<T>(options: BackendSrvRequest): Observable<FetchResponse<T>> {
    return this.run(options, (signal) => request<T>(options, signal));
  }

  chunked(options: BackendSrvRequest): Observable<FetchResponse<Uint8Array | undefined>> {
    return this.run(options, (signal) => chunks(options, signal));
  }

  async request<T = unknown>(options: BackendSrvRequest): Promise<T> {
    try {
      const response = await lastValueFrom(this.fetch<T>(options));
      this.announce(options, response);
      return response.data;
    } catch (error) {
      this.announceError(options, error as FetchError);
      throw error;
    }
  }

  datasourceRequest<T = unknown>(options: BackendSrvRequest): Promise<FetchResponse<T>> {
    return lastValueFrom(this.fetch<T>(options));
  }

  get<T>(url: string, params?: BackendSrvRequest['params'], requestId?: string, options?: Partial<BackendSrvRequest>) {
    return this.request<T>({ ...options, method: 'GET', url, params, requestId });
  }

  delete<T>(url: string, data?: unknown, options?: Partial<BackendSrvRequest>) {
    return this.request<T>({ ...options, method: 'DELETE', url, data });
  }

  post<T>(url: string, data?: unknown, options?: Partial<BackendSrvRequest>) {
    return this.request<T>({ ...options, method: 'POST', url, data });
  }

  patch<T>(url: string, data?: unknown, options?: Partial<BackendSrvRequest>) {
    return this.request<T>({ ...options, method: 'PATCH', url, data });
  }

  put<T>(url: string, data?: unknown, options?: Partial<BackendSrvRequest>) {
    return this.request<T>({ ...options, method: 'PUT', url, data });
  }

  /** Runs a request that ends early when it is unsubscribed from, or when the next one with its id begins. */
  private run<T>(options: BackendSrvRequest, start: (signal: AbortSignal) => ObservableInput<T>): Observable<T> {
    const requested = new Observable<T>((subscriber) => {
      const controller = new AbortController();
      options.abortSignal?.addEventListener('abort', () => controller.abort());
      const subscription = from(start(controller.signal)).subscribe(subscriber);
      return () => {
        subscription.unsubscribe();
        controller.abort();
      };
    }).pipe(catchError((error) => throwError(() => asFetchError(error, options))));

    const { requestId } = options;
    if (!requestId) {
      return requested;
    }
    this.cancelled.get(requestId)?.next();
    const cancel = new Subject<void>();
    this.cancelled.set(requestId, cancel);
    return requested.pipe(takeUntil(cancel));
  }

  private announce(options: BackendSrvRequest, response: FetchResponse) {
    const message = (response.data as { message?: string } | undefined)?.message;
    const isRead = !options.method || options.method === 'GET';
    if (message && (options.showSuccessAlert ?? !isRead)) {
      this.appEvents.publish({ type: AppEvents.alertSuccess.name, payload: [message] });
    }
  }

  private announceError(options: BackendSrvRequest, error: FetchError) {
    if (options.showErrorAlert !== false && !error.cancelled) {
      this.appEvents.publish({ type: AppEvents.alertError.name, payload: [error.data?.message ?? error.statusText] });
    }
  }
}

async function request<T>(options: BackendSrvRequest, signal: AbortSignal): Promise<FetchResponse<T>> {
  const response = await send(options, signal);
  const data = await readBody<T>(response, options.responseType);
  const answer = describe(response, options, data);
  if (!response.ok) {
    throw { ...answer, data: withMessage(data, response.statusText) };
  }
  return answer;
}

async function* chunks(options: BackendSrvRequest, signal: AbortSignal) {
  const response = await send(options, signal);
  const reader = response.body?.getReader();
  for (;;) {
    const part = await reader?.read();
    yield describe(response, options, part?.value);
    if (!part || part.done) {
      return;
    }
  }
}

function send(options: BackendSrvRequest, signal: AbortSignal): Promise<Response> {
  const headers = new Headers(options.headers);
  let body: BodyInit | undefined;
  if (options.data !== undefined && options.data !== null) {
    const isForm = headers.get('Content-Type')?.startsWith('application/x-www-form-urlencoded');
    if (typeof options.data === 'string' || options.data instanceof Blob) {
      body = options.data;
    } else if (isForm) {
      body = searchParams(options.data).toString();
    } else {
      headers.set('Content-Type', 'application/json');
      body = JSON.stringify(options.data);
    }
  }
  if (!headers.has('Accept')) {
    headers.set('Accept', 'application/json, text/plain, */*');
  }
  return fetch(address(options), { method: options.method ?? 'GET', headers, body, signal });
}

function address({ url, params }: BackendSrvRequest): string {
  const target = new URL(url.replace(/^\//, ''), document.baseURI);
  searchParams(params ?? {}).forEach((value, name) => target.searchParams.append(name, value));
  return target.toString();
}

function searchParams(values: Record<string, unknown>): URLSearchParams {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item !== undefined && item !== null) {
        params.append(name, String(item));
      }
    }
  }
  return params;
}

async function readBody<T>(response: Response, type: BackendSrvRequest['responseType']): Promise<T> {
  switch (type) {
    case 'arraybuffer':
      return (await response.arrayBuffer()) as T;
    case 'blob':
      return (await response.blob()) as T;
    case 'text':
      return (await response.text()) as T;
    default:
      return parseJson(await response.text()) as T;
  }
}

function parseJson(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return text;
  }
}

function describe<T>(response: Response, config: BackendSrvRequest, data: T): FetchResponse<T> {
  const { status, statusText, ok, headers, redirected, type, url } = response;
  return { data, status, statusText, ok, headers, redirected, type, url, config };
}

/** Grafana's rule: an error always has a message, the server's if it sent one. */
function withMessage(data: unknown, statusText: string) {
  const body = typeof data === 'object' && data !== null ? data : { message: data };
  return { error: statusText, message: statusText, ...body };
}

function asFetchError(error: unknown, config: BackendSrvRequest): FetchError {
  if (typeof error === 'object' && error !== null && 'status' in error) {
    return error as FetchError;
  }
  const cancelled = error instanceof DOMException && error.name === 'AbortError';
  const statusText = cancelled ? 'Request was aborted' : 'The preview cannot be reached. Is it still running?';
  return {
    status: cancelled ? -1 : 0,
    statusText,
    message: statusText,
    cancelled,
    config,
    data: { message: statusText },
  };
}
