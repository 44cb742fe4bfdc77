/**
 * The modules that Grafana lends to its plugins instead of letting them bring their own. The list is that of the
 * scaffold's `externals`, as far as it exists on npm without Grafana's core; the error of a plugin that requires
 * another one names it.
 *
 * CommonJS packages are lent as their `module.exports`, ES modules as their namespace.
 */
type Loader = () => Promise<unknown>;

const commonJs =
  (load: () => Promise<{ default: unknown }>): Loader =>
  async () =>
    (await load()).default;

export const sharedModules: Readonly<Record<string, Loader>> = {
  '@emotion/css': () => import('@emotion/css'),
  '@emotion/react': () => import('@emotion/react'),
  '@grafana/data': () => import('@grafana/data'),
  '@grafana/runtime': () => import('@grafana/runtime'),
  '@grafana/ui': () => import('@grafana/ui'),
  i18next: () => import('i18next'),
  jquery: commonJs(() => import('jquery')),
  lodash: commonJs(() => import('lodash')),
  moment: commonJs(() => import('moment')),
  prismjs: commonJs(() => import('prismjs')),
  react: commonJs(() => import('react')),
  'react-dom': commonJs(() => import('react-dom')),
  'react-redux': () => import('react-redux'),
  'react-router': () => import('react-router'),
  'react/jsx-runtime': commonJs(() => import('react/jsx-runtime')),
  redux: () => import('redux'),
  rxjs: () => import('rxjs'),
  'rxjs/operators': () => import('rxjs/operators'),
};
