/** Stands for the project of the settings. */
const PROJECT = '{projectId}';

/** Puts the project of the settings into a path. Without one, the path stays as it is. */
export function fillProject(path: string, projectId: string): string {
  return projectId ? path.replaceAll(PROJECT, projectId) : path;
}

/**
 * Says what is wrong with a list's path, as the backend would, but before anything is sent. Dashboard variables may
 * stand for any part of it.
 */
export function pathProblem(path: string): string | undefined {
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
  if (plain.includes(PROJECT)) {
    return `Replace ${PROJECT}, or set the project id in the data source's settings.`;
  }
  const [blank] = /\{\w+\}/.exec(plain) ?? [];
  if (blank) {
    return `Replace ${blank} by the id itself.`;
  }
  return PLAIN.test(plain) ? undefined : 'It has letters, digits and . _ ~ : @ - between single slashes.';
}

/** Grafana's ways to write a variable. */
const VARIABLE = /\$\w+|\$\{[^{}]+\}|\[\[\w+(:\w+)?\]\]/g;

/** As the backend has it. */
const PLAIN = /^[A-Za-z0-9._~:@-]*(\/[A-Za-z0-9._~:@-]+)+$|^x$/;
