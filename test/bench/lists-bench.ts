import { parseArgs } from 'node:util';
import { clock } from '../../src/lib/clock.js';
import { logger } from '../../src/lib/logger.js';
import { startHttp } from '../edges/http/http-setup.js';
import { queriesOf, readPages } from '../edges/http/list-queries.js';
import { fillLists } from '../support/large-lists.js';
import { world } from '../support/world.js';
import { percentile } from './figures.js';

/** The lists that have filters or sorts, and as many documents in one guild as there are members. */
const lists = [
  'GET /api/guilds/:guildId/members',
  'GET /api/guilds/:guildId/logs',
  'GET /api/guilds/:guildId/webhooks/:webhookId/deliveries',
  'GET /api/admin/guilds',
];

/**
 * `lists [--documents N]`: asks every list for three pages by every filter, pair of filters and sort, on the embedded
 * engine, and prints how long that took. Gives whether all were answered.
 */
export async function benchLists(args: string[]): Promise<boolean> {
  const { values } = parseArgs({ args, options: { documents: { type: 'string' } } });
  const documents = Number(values.documents ?? '20000');
  logger.level = 'silent';
  await world();
  const [http, guild] = [await startHttp(), await fillLists(documents)];
  let failed = 0;
  process.stdout.write(`${documents} documents behind each list; ms for three pages of 25\n`);
  for (const name of lists) {
    const queries = await queriesOf(name, guild);
    const taken: { query: string; ms: number }[] = [];
    for (const query of queries.all) {
      const began = clock.monotonicMs();
      const { status } = await readPages(http, queries, query);
      if (status !== 200) failed += 1;
      taken.push({ query, ms: clock.monotonicMs() - began });
    }
    const times = taken.map(({ ms }) => ms);
    const slowest = taken.reduce((worst, one) => (one.ms > worst.ms ? one : worst));
    const figures = [0.5, 0.95, 1].map((share) => percentile(times, share).toFixed(0)).join(' / ');
    process.stdout.write(
      `${name}: ${times.length} queries, median / p95 / most ${figures}, most for ${slowest.query}\n`,
    );
  }
  process.stdout.write(`not answered: ${failed}\n`);
  await http.close();
  return failed === 0;
}
