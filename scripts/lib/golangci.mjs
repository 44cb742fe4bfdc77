import { join } from 'node:path';
import { goEnv } from './go.mjs';
import { goTool } from './goTool.mjs';
import { cache } from './paths.mjs';

/** Path of the pinned golangci-lint. */
export const golangciLint = () => goTool('github.com/golangci/golangci-lint/v2/cmd/golangci-lint', 'v2.15.0');

/** Its environment. */
export const golangciEnv = { ...goEnv, GOLANGCI_LINT_CACHE: join(cache, 'golangci-lint') };
