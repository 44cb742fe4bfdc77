// force timezone to UTC to allow tests to work regardless of local timezone
// generally used by snapshots, but can affect specific tests
process.env.TZ = 'UTC';

const path = require('path');
const scaffolded = require('./.config/jest.config');
const { grafanaESModules, nodeModulesToTransform } = require('./.config/jest/utils');

const [transformer] = Object.values(scaffolded.transform);

/** Packages that ship ES modules only, beside those the scaffold knows. */
const esModules = [
  '@grafana/prometheus',
  '@hello-pangea/dnd',
  '@marcbachmann/cel-js',
  '@prometheus-io/lezer-promql',
  'd3-[^/]+',
  'monaco-promql',
  'react-use',
];

module.exports = {
  ...scaffolded,
  cacheDirectory: path.resolve(__dirname, '.cache/jest'),
  // The editors of lists take half a minute each on a machine that runs other suites beside this one.
  testTimeout: 60_000,
  moduleNameMapper: {
    ...scaffolded.moduleNameMapper,
    '^@emotion/sheet$': path.resolve(__dirname, 'src/testing/styleSheet.ts'),
    '^(monaco-editor(/.*)?|@monaco-editor/react)$': path.resolve(__dirname, 'src/testing/monacoEditor.tsx'),
  },
  testEnvironment: path.resolve(__dirname, 'src/testing/environment.js'),
  transform: { '^.+\\.m?[tj]sx?$': transformer },
  transformIgnorePatterns: [nodeModulesToTransform([...grafanaESModules, ...esModules])],
};
