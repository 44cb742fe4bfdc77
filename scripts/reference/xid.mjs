import { XID_CODES } from '../../dashboards/lib/xid.ts';
import { table } from './markdown.mjs';

const INTRODUCTION = `<!-- Made from dashboards/lib/xid.ts by \`npm run reference\`: change it there. -->

# XID codes

The errors of NVIDIA's driver that data-center GPUs are known to report, in \`DCGM_FI_DEV_XID_ERRORS\`: what happened, where it usually comes from, and what to do first. The list _XID errors_ of the dashboards and the alert rule [XID error](alert-rules.md#xid-error) have the same texts.

- The meanings are those of [NVIDIA's catalog](https://docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html) for Ampere and newer, in short. Codes that it marks as unused, or that are of displays, video and images only, are left out, except 68.
- The origin is the usual one. Most codes can have another: a bad PCIe link can look like an error of the application.
- DCGM keeps the last code, for weeks. A repeat of the same code cannot be seen. The rule fires for an hour on a new code or a change.
- The score of [nodes that keep failing](../stragglers.md#nodes-that-keep-failing) leaves out codes of the application.
`;

/** @returns {string} The page on XID codes, in Markdown. */
export function xidPage() {
  const rows = XID_CODES.map(({ code, meaning, origin, action }) => [String(code), meaning, origin, action]);
  return [INTRODUCTION, table(['XID', 'Meaning', 'Usual origin', 'What to do'], rows)].join('\n');
}
