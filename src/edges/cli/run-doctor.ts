import { once } from 'node:events';
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { isVariable, loadConfig, mistypedIn, overriddenLines, useConfig } from '../../config/config.js';
import { processEnvironment } from '../../config/process-environment.js';
import { logger } from '../../lib/logger.js';
import { DatabaseStartError, StartError } from '../../lib/start-error.js';
import { connectDatabase } from '../../platforms/database/connect.js';
import { requireDiskSpace } from '../../platforms/database/disk-space.js';
import { missingShards } from '../../platforms/discord/shard-rows.js';
import { configureRoblox } from '../../platforms/roblox/roblox-config.js';
import { closeRoblox } from '../../platforms/roblox/roblox-host.js';
import { messageFindings } from '../operations/check-game-messages.js';
import { isAlive, originOf } from '../operations/check-host.js';
import { keyFaults } from '../operations/check-keys.js';
import { unattachedFindings } from '../operations/check-ranking.js';
import { shardFaults } from '../operations/check-shards.js';
import { checks, runCheck } from '../operations/doctor.js';
import { type Check, type Finding, fault, ok, warning } from '../operations/finding.js';
import { countStored, reportText, type StoredCounts } from './doctor-report.js';

// `rolelink doctor` checks the installation, with or without a running service, and prints the remedy for each finding.

const { values: options } = parseArgs({ options: { report: { type: 'boolean', default: false } } });
let stored: StoredCounts | undefined;

const marks: Readonly<Record<Finding['state'], string>> = { ok: '✔', off: '–', warning: '!', fault: '✘', unknown: '?' };

/** Opens the database as the service would, but creates none. */
const checkDatabase: Check = {
  name: 'Database',
  async run() {
    const { mongodbUri: uri, dataDir } = config;
    try {
      if (uri === '') {
        requireFolder(dataDir);
        await requireDiskSpace(join(dataDir, 'database'));
      }
      if (uri === '' && !existsSync(join(dataDir, 'database', 'data'))) {
        return [ok(`the first start creates an embedded one in ${dataDir}.`), ...(await keyFaults(config))];
      }
      const database = await connectDatabase({ uri, dataDir, besideRunning: true });
      const faults = await keyFaults(config)
        .then(async (found) => {
          if (options.report) stored = await countStored();
          const named = [...(await unattachedFindings()), ...(await messageFindings())];
          return [...found, ...shardFaults(await missingShards()), ...named];
        })
        .finally(() => database.close());
      return [ok(uri === '' ? `embedded, in ${dataDir}.` : 'the server answers.'), ...faults];
    } catch (error) {
      if (!(error instanceof DatabaseStartError)) throw error;
      const todo =
        uri === '' ? 'Check DATA_DIR.' : 'Check MONGODB_URI (address, user, password) and the firewall in between.';
      return [fault('database_unreachable', error.message, todo)];
    }
  },
};

/** Throws DatabaseStartError unless DATA_DIR is a writable folder or can be created. */
function requireFolder(folder: string): void {
  try {
    const nearest = nearestPath(resolve(folder));
    if (!statSync(nearest).isDirectory()) throw new DatabaseStartError(`${nearest} (DATA_DIR) isn't a folder.`);
    accessSync(nearest, constants.W_OK);
  } catch (error) {
    if (error instanceof DatabaseStartError) throw error;
    throw new DatabaseStartError(`${folder} (DATA_DIR) isn't writable: ${String(error)}`, { cause: error });
  }
}

const nearestPath = (path: string): string => (existsSync(path) ? path : nearestPath(dirname(path)));

/** Whether the service could listen, unless Rolelink already answers there. */
const checkPort: Check = {
  name: 'Port',
  async run() {
    const { host, port } = config;
    const at = `${host}:${port}`;
    if (await isAlive(originOf(config))) return [ok(`Rolelink answers at ${at}.`)];
    const server = createServer();
    try {
      server.listen(port, host);
      await once(server, 'listening');
      return [ok(`${at} is free.`)];
    } catch (error) {
      const todo = 'Stop the program that uses the port, or set another PORT. HOST must be an address of this machine.';
      return [fault('port_unusable', `The service can't listen on ${at}: ${wordsOf(error)}`, todo)];
    } finally {
      server.close();
    }
  },
};

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function tell(name: string, { state, says, todo, code }: Finding): void {
  const label = state === 'warning' || state === 'fault' ? ` [${code}]` : '';
  process.stdout.write(`${marks[state]} ${name}: ${says}${label}\n${todo === undefined ? '' : `    → ${todo}\n`}`);
}

let environment: Record<string, string | undefined> = {};

function readConfig() {
  try {
    environment = processEnvironment();
    const config = loadConfig(environment);
    const notes = [
      ...mistypedIn(environment).map((line) =>
        warning('variable_mistyped', line.trim(), 'Correct the name, or remove the variable.'),
      ),
      ...overriddenLines().map((line) =>
        warning('variable_overridden', line, 'Remove one of the two. A shell forgets its own by `unset`.'),
      ),
    ];
    for (const note of options.report ? [] : notes) tell('Environment', note);
    return config;
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    if (options.report) {
      const mistakes = [...error.message.matchAll(/^ {2}(\w+): /gm)].map(([, name = '']) => name).filter(isVariable);
      process.stdout.write(reportText({ environment, config: undefined, mistakes, checks: [], stored: undefined }));
      process.exit(1);
    }
    process.stdout.write(`✘ Environment: ${error.message}\n    → .env.example explains each variable.\n`);
    process.exit(1);
  }
}

const config = readConfig();
logger.level = 'silent';
useConfig({ ...config, secretsKey: new Uint8Array(32), botTokenKeys: [], checkAnswers: false });
configureRoblox(config.roblox);
const found: { name: string; findings: Finding[] }[] = [];
for (const check of [...checks, checkPort, checkDatabase]) {
  const { name } = check;
  const findings = await runCheck(check);
  found.push({ name, findings });
  if (!options.report) for (const finding of findings) tell(name, finding);
}
const faults = found.flatMap(({ findings }) => findings).filter(({ state }) => state === 'fault').length;
await closeRoblox();
if (options.report) process.stdout.write(reportText({ environment, config, mistakes: [], checks: found, stored }));
else process.stdout.write(faults === 0 ? 'Nothing is broken.\n' : `${faults} to fix.\n`);
process.exitCode = faults === 0 ? 0 : 1;
