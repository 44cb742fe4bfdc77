import { defineConfig } from 'eslint/config';
import grafanaI18n from '@grafana/i18n/eslint-plugin';
import baseConfig from './.config/eslint.config.mjs';

export default defineConfig([
  {
    ignores: [
      // Kept as scaffolded.
      '.config/',
      '**/logs',
      '**/*.log',
      '**/npm-debug.log*',
      '**/yarn-debug.log*',
      '**/yarn-error.log*',
      '**/.pnpm-debug.log*',
      '**/node_modules/',
      '.cache/',
      '.yarn/cache',
      '.yarn/unplugged',
      '.yarn/build-state.yml',
      '.yarn/install-state.gz',
      '**/.pnp.*',
      '**/pids',
      '**/*.pid',
      '**/*.seed',
      '**/*.pid.lock',
      '**/lib-cov',
      '**/coverage',
      '**/dist/',
      '**/artifacts/',
      '**/ci/',
      'test-results/',
      'playwright-report/',
      'blob-report/',
      'playwright/.cache/',
      'playwright/.auth/',
      '**/.idea',
      '**/.eslintcache',
    ],
  },
  ...baseConfig,
  // The base's rules hold for every TypeScript file of the repository, not for src alone.
  { files: ['**/*.{ts,tsx}'] },
  {
    files: ['src/**/*.{ts,tsx}'],
    ignores: ['src/**/*.test.*', 'src/testing/**'],
    plugins: { '@grafana/i18n': grafanaI18n },
    rules: {
      '@grafana/i18n/no-untranslated-strings': 'error',
      '@grafana/i18n/no-translation-top-level': 'error',
      // What Grafana's catalog refuses of front ends: semgrep-rules.yaml of plugin-validator 0.41; and what React 19 lacks.
      'no-console': ['error', { allow: ['warn', 'error'] }],
      'no-alert': 'error',
      'no-restricted-imports': ['error', { patterns: ['*.css', '*.scss', '*.less'] }],
      'no-restricted-properties': [
        'error',
        ...['grafanaBootData', 'grafanaRuntime', '__grafanaSceneContext', 'open'].map((property) => ({
          object: 'window',
          property,
        })),
        ...['render', 'findDOMNode', 'unmountComponentAtNode'].map((property) => ({ object: 'ReactDOM', property })),
      ],
      'no-restricted-syntax': [
        'error',
        'Literal[value=/gf-form|api.ds.query/]',
        'MemberExpression[property.name=/^__SECRET_INTERNALS/]',
        'AssignmentExpression > MemberExpression.left[property.name=/^(propTypes|contextTypes|defaultProps)$/]',
      ],
      '@typescript-eslint/ban-ts-comment': ['error', { 'ts-expect-error': true }],
    },
  },
]);
