import { parseArgs } from 'node:util';
import { z } from 'zod';
import { ConfigError, loadConfig, processEnvironment, useConfig } from '../config.js';
import { connectDatabase } from '../database/connect.js';
import { DatabaseStartError } from '../database/start-error.js';
import { snowflake } from '../lib/ids.js';
import { logger } from '../lib/logger.js';
import { loadSecretKeys } from '../secret-keys.js';
import { mintBotToken } from './bot-tokens.js';
import { teamRole } from './team-roles.js';

// `npm run token -- --guild ID|* --role ROLE --name NAME`: prints a new bot token, the only time that it is shown. Works
// beside a running service, also on the embedded database.

const usage = 'npm run --silent token -- --guild ID|* --role viewer|manager|admin|owner --name NAME';

const wish = z.strictObject({
  guild: z.union([z.literal('*'), snowflake], { error: 'must be a Discord server id, or * for all servers' }),
  role: teamRole,
  name: z.string({ error: 'is missing: what the token is for' }).trim().min(1).max(100),
});

function readArguments(): z.output<typeof wish> {
  const { values } = parseArgs({
    options: { guild: { type: 'string' }, role: { type: 'string' }, name: { type: 'string' } },
  });
  const parsed = wish.safeParse(values);
  if (parsed.success) return parsed.data;
  const mistakes = parsed.error.issues.map(({ path, message }) => `  --${path.join('.')}: ${message}`);
  throw new ConfigError(`${mistakes.join('\n')}\nUsage: ${usage}`);
}

try {
  const { guild, role, name } = readArguments();
  const config = loadConfig(processEnvironment());
  logger.level = 'silent';
  useConfig({ ...config, ...loadSecretKeys(config), checkAnswers: false });
  const database = await connectDatabase({ uri: config.mongodbUri, dataDir: config.dataDir, besideRunning: true });
  process.stdout.write(`${await mintBotToken({ guildId: guild, role, name, createdBy: 'command line' })}\n`);
  await database.close();
} catch (error) {
  const inWords = error instanceof ConfigError || error instanceof DatabaseStartError || error instanceof TypeError;
  process.stderr.write(`${inWords ? error.message : error instanceof Error ? error.stack : String(error)}\n`);
  process.exitCode = 1;
}
