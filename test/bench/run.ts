import { benchExport } from './export-bench.js';
import { benchFreshness } from './freshness-bench.js';
import { benchLists } from './lists-bench.js';
import { benchResync } from './resync-bench.js';
import { benchWebhooks } from './webhooks-bench.js';

// `npm run bench -- NAME [options]`: runs one bench and prints its figures; exit code 1 when one is out of its bound.

const benches: Readonly<Record<string, (args: string[]) => Promise<boolean>>> = {
  export: benchExport,
  freshness: benchFreshness,
  lists: benchLists,
  resync: benchResync,
  webhooks: benchWebhooks,
};

const usage = `Usage: npm run bench -- resync [--members 100000] [--kills 50] [--scale 1]
       npm run bench -- export [--rows 1000000]
       npm run bench -- freshness [--minutes 5]
       npm run bench -- lists [--documents 20000]
       npm run bench -- webhooks [--deliveries 10000] [--rounds 5] [--kills 200]`;

const [name = '', ...args] = process.argv.slice(2);
const bench = Object.hasOwn(benches, name) ? benches[name] : undefined;
if (bench === undefined) {
  process.stderr.write(`${usage}\n`);
  process.exitCode = 2;
} else {
  process.exit((await bench(args)) ? 0 : 1);
}
