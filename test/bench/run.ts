import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { benchEngine } from './engine-bench.js';
import { benchFacts } from './facts-bench.js';
import { benchFreshness } from './freshness-bench.js';
import { benchProcesses } from './processes-bench.js';
import { benchPromptness } from './promptness-bench.js';
import { benchReads, benchWrites } from './reads-bench.js';
import { benchResync } from './resync-bench.js';
import { benchScale } from './scale-bench.js';
import { benchWebhooks } from './webhooks-bench.js';

// `npm run bench -- NAME… [options]`: runs these benches, all without a name, one after the other, and prints their
// figures; exit code 1 when one is out of its bound. Options are a single bench's.

const benches: Readonly<Record<string, (args: string[]) => Promise<boolean>>> = {
  engine: benchEngine,
  facts: benchFacts,
  freshness: benchFreshness,
  processes: benchProcesses,
  promptness: benchPromptness,
  reads: benchReads,
  writes: benchWrites,
  resync: benchResync,
  scale: benchScale,
  webhooks: benchWebhooks,
};

const usage = `Usage: npm run bench
       npm run bench -- resync [--members 100000] [--kills 50] [--scale 1]
       npm run bench -- engine [--rounds 5] [--requests 1000] [--members 2000]
       npm run bench -- facts [--rounds 7] [--people 1000]
       npm run bench -- freshness [--minutes 5] [--only A] [--log]
       npm run bench -- processes [--members 100] [--rounds 3]
       npm run bench -- promptness [--scale 1] [--seconds 60]
       npm run bench -- reads [--rounds 7] [--requests 1000] [--only WORDS]
       npm run bench -- writes [--rounds 7] [--requests 1000] [--only WORDS]
       npm run bench -- scale [--guilds 2000] [--accounts 100000] [--entries 1000000] [--mappings 1000]
       npm run bench -- webhooks [--deliveries 10000] [--rounds 5] [--kills 200]`;

const given = process.argv.slice(2);
const optionsAt = given.findIndex((word) => word.startsWith('--'));
const [named, args] = optionsAt < 0 ? [given, []] : [given.slice(0, optionsAt), given.slice(optionsAt)];
const names = named.length === 0 ? Object.keys(benches) : named;

/** A process can open one database, so that each bench gets its own. */
function runAlone(name: string): boolean {
  const script = fileURLToPath(import.meta.url);
  const { status } = spawnSync(process.execPath, [...process.execArgv, script, name], { stdio: 'inherit' });
  return status === 0;
}

const [only = ''] = names;
if (!names.every((name) => Object.hasOwn(benches, name)) || (names.length > 1 && args.length > 0)) {
  process.stderr.write(`${usage}\n`);
  process.exitCode = 2;
} else if (names.length === 1) {
  process.exit((await benches[only]?.(args)) ? 0 : 1);
} else {
  process.exitCode = names.filter((name) => !runAlone(name)).length === 0 ? 0 : 1;
}
