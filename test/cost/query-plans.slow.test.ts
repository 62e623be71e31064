import { expect } from 'chai';
import { standingWork } from '../../src/platforms/jobs/standing.js';
import { allRoutes, type HttpSide, sessionHeaders, startHttp, tokenHeaders } from '../edges/http/http-setup.js';
import { filterNames, listFilters } from '../edges/http/list-filters.js';
import { type ListQueries, queriesOf, readPages } from '../edges/http/list-queries.js';
import { withPromptSyncs } from '../support/background.js';
import { emptyLists, fillLists, type LargeGuild } from '../support/large-lists.js';
import { noPlanFaults, watchPlans } from '../support/query-plans.js';
import { platformAdminId } from '../support/world.js';
import { flows } from './cost-flows.js';

/**
 * Each API read that needs no id but a guild's or webhook's, and answers in one piece; without the configuration, which
 * holds no more than 1,000 mappings, as the greatest plan allows.
 */
async function readEverything(http: HttpSide, guild: LargeGuild): Promise<void> {
  const admin = await sessionHeaders(platformAdminId);
  for (const { name } of allRoutes()) {
    const path = name.replace('GET ', '').replace(':guildId', guild.guildId).replace(':webhookId', guild.webhookId);
    if (!name.startsWith('GET /api/') || path.includes(':') || /\/(export|config)$/.test(path)) continue;
    const headers = name.startsWith('GET /api/guilds/:') ? tokenHeaders(guild.token) : admin;
    const { status } = await http.send('GET', path, { headers });
    expect(status, name).to.be.lessThan(500);
  }
}

/** Each standing job once, as by the clock. The other jobs need only an id, which the flows supply. */
async function runStandingJobs(): Promise<void> {
  const { signal } = new AbortController();
  for (const job of standingWork()) await job.run(signal);
}

/** A few are there more than here. */
const documents = 20_000;

/** Filled once for both: filling and emptying takes as long as they do. */
describe('Queries of 20,000 documents', () => {
  withPromptSyncs();
  let http: HttpSide;
  let guild: LargeGuild;

  before(async () => {
    [http, guild] = [await startHttp(), await fillLists(documents)];
  });
  after(async () => {
    await emptyLists(guild);
    await http.close();
  });

  // API-24
  describe('Lists of 20,000 documents', () => {
    it('Every list has each of its filters and sorts tried here', () => {
      for (const route of allRoutes().filter((list) => filterNames(list).length > 0)) {
        expect(Object.keys(listFilters[route.name] ?? {}), route.name).to.have.members(filterNames(route));
      }
    });

    for (const name of [
      'GET /api/guilds',
      'GET /api/admin/guilds',
      'GET /api/guilds/:guildId/members',
      'GET /api/guilds/:guildId/differences',
      'GET /api/guilds/:guildId/logs',
      'GET /api/guilds/:guildId/webhooks/:webhookId/deliveries',
      'GET /api/guilds/:guildId/webhooks',
      'GET /api/guilds/:guildId/groups',
      'GET /api/guilds/:guildId/groups/:groupId/ranks',
      'GET /api/guilds/:guildId/mappings',
      'GET /api/guilds/:guildId/team',
      'GET /api/guilds/:guildId/tokens',
      'GET /api/guilds/:guildId/roles',
      'GET /api/guilds/:guildId/resyncs',
    ]) {
      it(`The pages of a list are read by one plan each: ${name}`, async () => {
        // A filtered mapping page reads all mappings, and all groups.
        const plans = watchPlans();
        const faults: string[] = [];
        const queries: ListQueries = await queriesOf(name, guild);
        for (const query of queries.all) {
          const { status, text } = await readPages(http, queries, query);
          if (status !== 200) faults.push(`${query}: ${status} ${text}`);
        }
        expect(faults.join('\n')).to.equal('');
        expect(await plans.faults()).to.deep.equal(noPlanFaults);
      });
    }

    for (const [name, query] of [
      ['GET /api/guilds/:guildId/members', 'status=left'],
      ['GET /api/guilds/:guildId/members', 'status=left&sort=gameUsername'],
      ['GET /api/guilds/:guildId/members', 'status=unlinked'],
      ['GET /api/admin/guilds', 'q=nothing'],
      ['GET /api/admin/guilds', 'q=guild 1999'],
    ] as const) {
      it(`A page reads little more than it shows: ${name}?${query}`, async () => {
        const plans = watchPlans();
        const { path, headers } = await queriesOf(name, guild);
        const { status, json } = await http.send('GET', encodeURI(`${path}?${query}&limit=37`), { headers });
        expect([status, json.data.length > 0]).to.deep.equal([200, query !== 'q=nothing']);
        // Each page reads one more than requested, to know whether another page follows.
        const examined = await plans.mostExamined({ collection: name.split('/').at(-1) ?? '', limit: 38 });
        expect(examined).to.be.within(query === 'q=nothing' ? 0 : 1, 200);
      });
    }
  });

  // API-93
  describe('Searches inside names of 20,000 members', () => {
    const ask = async (query: string) => {
      const { path, headers } = await queriesOf('GET /api/guilds/:guildId/members', guild);
      return http.send('GET', `${path}${query}`, { headers });
    };
    const sumOf = (counts: Record<string, number>) => Object.values(counts).reduce((sum, count) => sum + count, 0);

    it('A text inside a name is found among all members, with a total', async () => {
      const { status, json } = await ask('/counts?q=erson1999');
      expect([status, sumOf(json.counts)]).to.deep.equal([200, 11]);
      const names: string[] = [];
      for (let cursor = ''; cursor !== 'end'; ) {
        const { json: page } = await ask(`?q=erson1999&limit=3${cursor && `&cursor=${cursor}`}`);
        names.push(...page.data.map(({ chatUsername }: { chatUsername: string }) => chatUsername));
        cursor = page.nextCursor ?? 'end';
      }
      expect(names).to.have.length(json.counts.linked);
      expect(new Set(names)).to.have.property('size', names.length);
    });

    it('No command of a search reads more than 2,000 members', async () => {
      const plans = watchPlans();
      expect((await ask('?q=no-such-name')).json.data).to.deep.equal([]);
      expect(await plans.mostExamined({ collection: 'members', limit: 1_001 })).to.be.within(1, 2_000);
    });

    it('The members in step are counted, though they are more than 1,000', async () => {
      const { json } = await ask('/counts?state=in_step');
      expect(json.counts).to.include({ linked: 5_143, unlinked: 0, joined: 0 });
    });
  });

  /** The lists above have all their filters and sorts. */
  describe('Flows, reads and standing jobs', () => {
    const asked: Record<string, () => Promise<unknown>> = {
      ...flows,
      'each read of the API': () => readEverything(http, guild),
      'the standing jobs': runStandingJobs,
    };
    for (const [name, ask] of Object.entries(asked)) {
      it(`A query has one plan, reads no whole collection and sorts nothing in memory: ${name}`, async () => {
        const watched = watchPlans();
        await ask();
        expect(await watched.faults()).to.deep.equal(noPlanFaults);
      });
    }
  });
});
