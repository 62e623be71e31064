import { parseArgs } from 'node:util';
import { z } from 'zod';
import { loadConfig, useConfig } from '../../config/config.js';
import { processEnvironment } from '../../config/process-environment.js';
import { loadSecretKeys, placesOf } from '../../config/secret-keys.js';
import { systemActor } from '../../core/actors/actor.js';
import { isTeamRole, tokenRole } from '../../features/tokens/token-model.js';
import { revokeToken } from '../../features/tokens/token-revocation.js';
import { createOnCommandLine, findToken } from '../../features/tokens/token-service.js';
import { lineOfText } from '../../lib/fields.js';
import { snowflake } from '../../lib/ids.js';
import { logger } from '../../lib/logger.js';
import { ConfigError } from '../../lib/start-error.js';
import { connectDatabase } from '../../platforms/database/connect.js';
import { errorInWords } from './error-in-words.js';

// `rolelink token --guild ID|* --role ROLE --name NAME` prints a new bot token, which is never shown again. `rolelink
// token --revoke ID` revokes one; platform tokens can only be revoked this way. Both also work while a service runs,
// even on the embedded database.

const revocation = z.strictObject({ revoke: z.string() });
const creation = z
  .strictObject({
    guild: z.union([z.literal('*'), snowflake], { error: 'must be a Discord server id, or * for all servers' }),
    role: tokenRole.exclude(['ranker']),
    name: z.string({ error: 'is missing: name its purpose' }).pipe(lineOfText(100)),
  })
  .refine(({ guild, role }) => guild !== '*' || isTeamRole(role), {
    path: ['guild'],
    error: 'must be one server: a game belongs to one',
  });

function readArguments(): z.output<typeof creation | typeof revocation> {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({ options: { guild: text, role: text, name: text, revoke: text } });
  const parsed = ('revoke' in values ? revocation : creation).safeParse(values);
  if (parsed.success) return parsed.data;
  const mistakes = parsed.error.issues.map(
    ({ path, message }) => `  ${path.map((name) => `--${String(name)}: `).join('')}${message}`,
  );
  throw new ConfigError(`${mistakes.join('\n')}\nSee rolelink token --help.`);
}

async function create({ guild: guildId, role, name }: z.output<typeof creation>): Promise<string> {
  return (await createOnCommandLine({ guildId, role, name }, commandLine)).text;
}

async function revoke(tokenId: string): Promise<string> {
  const token = await findToken(tokenId);
  if (token === null || !(await revokeToken(token, commandLine))) {
    throw new ConfigError(`There is no token ${tokenId} to revoke.`);
  }
  return `Revoked: ${token.name}`;
}

const commandLine = systemActor('command line');

try {
  const wish = readArguments();
  const config = loadConfig(processEnvironment());
  logger.level = 'silent';
  const keys = loadSecretKeys(config);
  useConfig({ ...config, ...keys, checkAnswers: false });
  const { mongodbUri: uri, dataDir } = config;
  const inUse = { ...keys, places: placesOf(config) };
  const database = await connectDatabase({ uri, dataDir, besideRunning: true, keys: inUse });
  try {
    process.stdout.write(`${await ('revoke' in wish ? revoke(wish.revoke) : create(wish))}\n`);
  } finally {
    await database.close();
  }
} catch (error) {
  process.stderr.write(`${errorInWords(error)}\n`);
  process.exitCode = 1;
}
