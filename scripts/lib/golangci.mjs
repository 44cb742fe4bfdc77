import { goTool } from './goTool.mjs';

/** Path of the pinned golangci-lint. */
export const golangciLint = () => goTool('github.com/golangci/golangci-lint/v2/cmd/golangci-lint', 'v2.15.0');
