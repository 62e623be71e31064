import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { standingWork } from '../../src/platforms/jobs/standing.js';
import { allRoutes, type HttpSide, sessionHeaders, startHttp, tokenHeaders } from '../edges/http/http-setup.js';
import { withPromptSyncs } from '../support/background.js';
import { emptyLists, fillLists, type LargeGuild } from '../support/large-lists.js';
import { watchPlans } from '../support/query-plans.js';
import { platformAdminId } from '../support/world.js';
import { flows } from './cost-flows.js';

/** The first field of each key that docs/scaling.md proposes. */
const keys = { audit_log: 'guildId', members: 'guildId', deliveries: 'webhookId' };

/** Every query that names no key, with its purpose as docs/scaling.md calls it. */
const ofEveryShard: Readonly<Record<string, string>> = {
  'audit_log: _id': 'entries that are stored already',
  'audit_log: actor.id': 'erasure of a person',
  'audit_log: actor.id, target.id': 'erasure of a person',
  'deliveries: _id, attemptCount, guildId': 'each attempt and its result',
  'deliveries: _id, attemptCount, guildId, nextAttemptAt': 'each attempt and its result',
  'deliveries: _id, nextAttemptAt, outbox.0': 'old deliveries',
  'deliveries: nextAttemptAt': 'endpoints with due deliveries',
  'deliveries: nextAttemptAt, webhookId': 'endpoints with due deliveries',
  'deliveries: state, webhookId': 'endpoints with due deliveries',
  'members: _id, outbox, removedAt': 'the outbox',
  'members: _id, removedAt': 'the outbox',
  'members: outbox.createdAt': 'the outbox',
  'members: chatUserId': "a person's servers",
  'members: guildId, owedSync.dueAt': 'due work',
  'members: guildId, traitsDueAt': 'due work',
  'members: joinMessage.dueAt': 'due work',
  'members: linkDueAt': 'due work',
  'members: owedSync.attempts, owedSync.dueAt': 'due work',
  'members: owedSync.dueAt': 'due work',
  'members: traitsDueAt': 'due work',
  'members: outbox.0, presenceAt, present, state': 'people who never linked',
};

describe('Queries of a sharded cluster', () => {
  withPromptSyncs();
  let http: HttpSide;
  let guild: LargeGuild;
  before(async () => {
    [http, guild] = [await startHttp(), await fillLists(60)];
  });
  after(async () => {
    await emptyLists(guild);
    await http.close();
  });

  const readEverything = async (): Promise<void> => {
    const admin = await sessionHeaders(platformAdminId);
    for (const { name } of allRoutes()) {
      const path = name.replace('GET ', '').replace(':guildId', guild.guildId).replace(':webhookId', guild.webhookId);
      if (!name.startsWith('GET /api/') || path.includes(':')) continue;
      await http.send('GET', path, { headers: name.includes('/guilds/:') ? tokenHeaders(guild.token) : admin });
    }
  };
  const runStandingJobs = async (): Promise<void> => {
    for (const job of standingWork()) await job.run(new AbortController().signal);
  };

  it('Every query names its shard key, or is listed in docs/scaling.md as asked of every shard', async () => {
    const watched = watchPlans();
    for (const flow of Object.values(flows)) await flow();
    await readEverything();
    await runStandingJobs();
    const { one, every } = await watched.byShards(keys);
    expect(one.size).to.be.greaterThan(10);
    expect([...every].filter((query) => ofEveryShard[query] === undefined)).to.deep.equal([]);
    const paper = readFileSync(new URL('../../../docs/scaling.md', import.meta.url), 'utf8').replaceAll(/\s+/g, ' ');
    for (const purpose of Object.values(ofEveryShard)) expect(paper).to.contain(purpose);
  });
});
