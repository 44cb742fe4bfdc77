import type { GpuCloudOptions } from '../../types';

/** What the backend fills into paths from the settings, so that a saved query names no id; empty where there is none. */
export interface PathIds {
  projectId: string;
  organizationId: string;
}

export function pathIds({ projectId, organizationId }: GpuCloudOptions): PathIds {
  return { projectId: String(projectId ?? ''), organizationId: String(organizationId ?? '') };
}

/** Where an id is set. */
const SETTINGS: Record<keyof PathIds, string> = {
  projectId: 'project id in the data source’s settings, section Connection',
  organizationId: 'organization id in the data source’s settings, section Main API',
};

/**
 * Says what is wrong with a list's path, as the backend would, but before anything is sent. Dashboard variables may
 * stand for any part of it.
 */
export function pathError(path: string, ids: PathIds): string | undefined {
  if (path.trim() === '') {
    return 'Enter a path, such as /v1/capacities.';
  }
  const plain = path.replace(VARIABLE, 'x');
  if (!plain.startsWith('/v1/') && !path.startsWith('$')) {
    return 'It starts with /v1/, such as /v1/capacities.';
  }
  if (plain.includes('?')) {
    return 'Leave out everything from the question mark on: parameters have their own fields.';
  }
  const [escape] = /[%#]/.exec(plain) ?? [];
  if (escape) {
    return `Leave out “${escape}”: a path is sent as it is written.`;
  }
  if (plain.split('/').some((segment) => segment === '..' || segment === '.')) {
    return '“.” and “..” are not allowed.';
  }
  const unknown = placeholders(plain).find((name) => !isKnown(name));
  if (unknown) {
    return `{${unknown}} is not known. Use {projectId} or {organizationId}, or write the id itself.`;
  }
  const missing = placeholders(plain)
    .filter(isKnown)
    .find((name) => !ids[name]);
  if (missing) {
    return `Replace {${missing}} by the id itself, or set the ${SETTINGS[missing]}.`;
  }
  return PLAIN.test(plain.replace(PLACEHOLDER, 'x'))
    ? undefined
    : 'It has letters, digits and . _ ~ : @ - between single slashes.';
}

const placeholders = (path: string): string[] => [...path.matchAll(PLACEHOLDER)].map(([, name]) => name);

const isKnown = (name: string): name is keyof PathIds => Object.hasOwn(SETTINGS, name);

const PLACEHOLDER = /\{(\w+)\}/g;

/** Grafana's ways to write a variable. */
const VARIABLE = /\$\w+|\$\{[^{}]+\}|\[\[\w+(:\w+)?\]\]/g;

/** As the backend has it. */
const PLAIN = /^[A-Za-z0-9._~:@-]*(\/[A-Za-z0-9._~:@-]+)+$|^x$/;
