import { expect } from 'chai';
import { logger } from '../../src/lib/logger.js';
import { registeredJobs } from '../../src/platforms/jobs/define-job.js';
import { allRoutes, type HttpSide, sessionHeaders, startHttp, tokenHeaders } from '../edges/http/http-setup.js';
import { emptyLists, fillLists, type LargeGuild } from '../support/large-lists.js';
import { noPlanFaults, watchPlans } from '../support/query-plans.js';
import { platformAdminId } from '../support/world.js';
import { flows } from './cost-flows.js';

/**
 * Each read of the API that needs no id but a guild's or webhook's, and answers in one piece; without the configuration, which holds
 * no more than 1,000 mappings, as the greatest plan allows.
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

/** Each standing job once, as by the clock. What the other jobs need is an id, which the flows give them. */
async function runStandingJobs(): Promise<void> {
  const { signal } = new AbortController();
  for (const job of registeredJobs()) {
    await (async () => job.run({}, { signal, log: logger }))().catch((error: Error) => {
      if (error.name !== 'ZodError') throw error;
    });
  }
}

/** `large-lists.test.ts` has the lists with all their filters and sorts. */
describe('what flows, reads and standing jobs ask the database among 20,000 documents', () => {
  let http: HttpSide;
  let guild: LargeGuild;

  before(async function () {
    this.timeout(300_000);
    [http, guild] = [await startHttp(), await fillLists(20_000)];
  });
  after(async () => {
    await emptyLists(guild);
    await http.close();
  });

  const asked: Record<string, () => Promise<unknown>> = {
    ...flows,
    'each read of the API': () => readEverything(http, guild),
    'the standing jobs': runStandingJobs,
  };
  for (const [name, ask] of Object.entries(asked)) {
    it(`has one plan, reads no whole collection and sorts nothing in memory: ${name}`, async function () {
      this.timeout(300_000);
      const watched = watchPlans();
      await ask();
      expect(await watched.faults()).to.deep.equal(noPlanFaults);
    });
  }
});
