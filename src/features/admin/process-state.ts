import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { timestamp } from '../../lib/fields.js';

/** Figures about the process that answers. Each process reports its own. */
export const processStateView = z.strictObject({
  version: z.string(),
  nodeVersion: z.string(),
  startedAt: timestamp,
  uptimeSeconds: z.int(),
  memory: z.strictObject({ rssBytes: z.int(), heapUsedBytes: z.int() }),
});

const { version } = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8')));

export function readProcessState(now: Date): z.input<typeof processStateView> {
  const uptimeSeconds = Math.floor(process.uptime());
  const { rss, heapUsed } = process.memoryUsage();
  return {
    version,
    nodeVersion: process.versions.node,
    startedAt: new Date(now.getTime() - uptimeSeconds * 1_000).toISOString(),
    uptimeSeconds,
    memory: { rssBytes: rss, heapUsedBytes: heapUsed },
  };
}
