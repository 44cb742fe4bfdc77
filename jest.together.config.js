// For `npm run test:jest`: all test files in one environment, which loads Grafana's packages once and not once a file, half of the time.
// Those that replace a module, or choose the language of Grafana, are alone. `npx jest` has each file alone.
const { globSync, readFileSync } = require('node:fs');
const { join } = require('node:path');
const config = require('./jest.config');

const isAlone = (file) => /jest\.mock|i18next\.init/.test(readFileSync(join(__dirname, file), 'utf8'));
const files = globSync('src/**/*.test.{ts,tsx}', { cwd: __dirname }).sort();

module.exports = {
  ...config,
  globals: { TEST_FILES: files.filter((file) => !isAlone(file)) },
  testMatch: ['<rootDir>/src/testing/together.js', ...files.filter(isAlone).map((file) => `<rootDir>/${file}`)],
};
