import { loadConfig } from '../../src/config/config.js';
import { processEnvironment } from '../../src/config/process-environment.js';
import { logger } from '../../src/lib/logger.js';
import { startService } from '../../src/main.js';
import { latestVersion } from '../../src/platforms/database/data-version.js';

/** The service of a later version, with one migration more. `STUCK` holds it in the middle of that migration. */
const run = async (): Promise<void> => {
  logger.info('half-way');
  if (process.env.STUCK !== undefined) await new Promise(() => setInterval(() => undefined, 1_000));
};
const to = latestVersion() + 1;
try {
  const service = await startService(loadConfig(processEnvironment()), { migrations: [{ to, run }] });
  process.once('SIGTERM', () => void service.stop().then(() => process.exit(0)));
  await service.ready;
  logger.info('ready');
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
