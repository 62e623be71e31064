import { expect } from 'chai';
import { auditActions } from '../../../src/core/audit/audit-actions.js';
import { indexFor } from '../../../src/core/audit/audit-filter.js';
import { pageFilter } from '../../../src/core/audit/audit-list.js';
import { AuditLog, newestFirst } from '../../../src/core/audit/audit-model.js';
import { GuildRecord } from '../../../src/core/guilds/guild-model.js';
import { encodeCursor } from '../../../src/lib/cursor.js';
import { newId } from '../../../src/lib/ids.js';
import { buildGuild, type TestGuild } from '../../support/build.js';
import { daysAgo, insertEntry } from './entries-setup.js';

// LOG-9
describe('GET …/logs', () => {
  let guild: TestGuild;
  const bob = { kind: 'bot_token' as const, id: 'tok_000000000000000000000001', name: 'site' };
  const ids: Record<string, string> = {};

  before(async () => {
    guild = await buildGuild();
    const { guildId } = guild;
    const changes = { enabled: { from: true, to: false }, name: { from: null, to: 'Officers' } };
    ids.changed = await insertEntry(guildId, { at: daysAgo(4), requestId: 'req-1', changes });
    ids.removed = await insertEntry(guildId, { at: daysAgo(3), action: 'mapping.removed', actor: bob });
    ids.group = await insertEntry(guildId, {
      at: daysAgo(2),
      action: 'group.added',
      target: { kind: 'group', id: '42' },
    });
    ids.imported = await insertEntry(guildId, { at: daysAgo(1), action: 'mappings.imported', actor: bob });
    const { guildId: other } = await buildGuild();
    await insertEntry(other, { at: daysAgo(2) });
  });

  const get = (query = '') => guild.api.get(`${guild.path}/logs?${query}`);
  /** The answer's entries, by the names that they have here. */
  const named = async (query: string) => {
    const { status, body } = await get(query);
    expect(status, JSON.stringify(body)).to.equal(200);
    const ours = Object.entries(ids);
    return body.data.flatMap(({ id }: { id: string }) => ours.find(([, known]) => known === id)?.[0] ?? []);
  };

  // LOG-7
  it('GET …/logs shows the guild’s entries, newest first, each as a whole', async () => {
    expect(await named('')).to.deep.equal(['imported', 'group', 'removed', 'changed']);
    const { data } = (await get()).body;
    const entry = data.find(({ id }: { id: string }) => id === ids.changed);
    const { at, ...rest } = entry;
    expect(at).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(rest).to.deep.equal({
      id: ids.changed,
      actor: { kind: 'user', id: '7', name: 'Ann' },
      action: 'mapping.updated',
      target: { kind: 'mapping', id: 'map_1', name: 'Officers' },
      changes: { enabled: { from: true, to: false }, name: { from: null, to: 'Officers' } },
      requestId: 'req-1',
    });
    const bare = data.find(({ id }: { id: string }) => id === ids.group);
    expect(bare).to.deep.include({ changes: {}, requestId: null, target: { kind: 'group', id: '42', name: null } });
  });

  it('GET …/logs filters by action, all of a kind, actor and target', async () => {
    expect(await named('action=mapping.removed')).to.deep.equal(['removed']);
    expect(await named('action=mapping.*')).to.deep.equal(['removed', 'changed']);
    expect(await named('action=mappings.*')).to.deep.equal(['imported']);
    expect(await named('action=token.*')).to.deep.equal([]);
    expect(await named(`actorId=${bob.id}`)).to.deep.equal(['imported', 'removed']);
    expect(await named('actorId=8')).to.deep.equal([]);
    expect(await named('targetId=42')).to.deep.equal(['group']);
    expect(await named(`actorId=${bob.id}&action=mapping.*&targetId=map_1`)).to.deep.equal(['removed']);
    expect(await named('actorId=7&targetId=42&action=mapping.*')).to.deep.equal([]);
  });

  // LOG-24
  it('GET …/logs shows everything by and about one thing, each entry once and page by page', async () => {
    const ann = { kind: 'user' as const, id: '7', name: 'Ann' };
    const { guildId, api, path } = await buildGuild();
    const about = { kind: 'member', id: ann.id };
    const theirs = [
      await insertEntry(guildId, { at: daysAgo(5), actor: bob, target: about }),
      await insertEntry(guildId, { at: daysAgo(4), actor: ann, target: about }),
      await insertEntry(guildId, { at: daysAgo(3), actor: ann }),
      await insertEntry(guildId, { at: daysAgo(2), actor: bob, target: about }),
    ];
    await insertEntry(guildId, { at: daysAgo(1), actor: bob });
    const read = async (query: string, cursor = ''): Promise<string[]> => {
      const { body } = await api.get(`${path}/logs?limit=1&${query}${cursor && `&cursor=${cursor}`}`);
      const found = body.data.map(({ id }: { id: string }) => id);
      return body.nextCursor === null ? found : [...found, ...(await read(query, body.nextCursor))];
    };
    expect(await read('involves=7')).to.deep.equal(theirs.toReversed());
    expect(await read(`involves=7&actorId=${bob.id}`)).to.deep.equal([theirs[3], theirs[0]]);
    expect(await read(`involves=7&actorId=${bob.id}&targetId=8`)).to.deep.equal([]);
  });

  it('GET …/logs filters by time: from is included, to is not, in any time zone', async () => {
    const at = (await AuditLog.findOne({ guildId: guild.guildId, _id: ids.removed ?? '' }))?.at ?? new Date();
    const iso = at.toISOString();
    const later = new Date(at.getTime() + 1).toISOString();
    expect(await named(`from=${iso}`)).to.deep.equal(['imported', 'group', 'removed']);
    expect(await named(`from=${later}`)).to.deep.equal(['imported', 'group']);
    expect(await named(`to=${iso}`)).to.deep.equal(['changed']);
    expect(await named(`to=${later}`)).to.deep.equal(['removed', 'changed']);
    expect(await named(`from=${iso}&to=${later}`)).to.deep.equal(['removed']);
    const elsewhere = new Date(at.getTime() + 2 * 60 * 60_000).toISOString().replace('Z', '%2B02:00');
    expect(await named(`from=${elsewhere}`)).to.deep.equal(['imported', 'group', 'removed']);
  });

  it('GET …/logs refuses an unknown action, a malformed time and an empty range, and names the field', async () => {
    const refused: [string, string[]][] = [
      ['action=mapping.exploded', ['query.action']],
      ['action=mapping', ['query.action']],
      ['action=*', ['query.action']],
      ['action=', ['query.action']],
      ['actorId=', ['query.actorId']],
      ['from=yesterday', ['query.from']],
      ['from=2026-07-01', ['query.from']],
      ['from=2026-07-01T12:00:00', ['query.from']],
      ['to=1783000000', ['query.to']],
      ['to=2026-02-30T00:00:00Z', ['query.to']],
      ['from=2026-07-02T00:00:00Z&to=2026-07-01T00:00:00Z', ['query.to']],
      ['from=2026-07-01T00:00:00Z&to=2026-07-01T00:00:00Z', ['query.to']],
      ['from=x&to=y&action=z', ['query.from', 'query.to', 'query.action']],
    ];
    for (const [query, paths] of refused) {
      for (const path of ['logs', 'logs/export']) {
        const { status, body } = await guild.api.get(`${guild.path}/${path}?${query}`);
        expect(status, query).to.equal(400);
        expect(
          body.errors.map((issue: { path: string }) => issue.path),
          query,
        ).to.have.members(paths);
      }
    }
  });

  it('GET …/logs shows nothing older than the plan keeps, and shows it again after an upgrade', async () => {
    const { guildId } = guild;
    ids.old = await insertEntry(guildId, { at: daysAgo(31) });
    const withPlan = async (plan: string) => {
      await GuildRecord.updateOne({ _id: guildId }, { $set: { plan } });
      return [await named('targetId=map_1'), await named(`from=${daysAgo(300).toISOString()}&action=mapping.*`)];
    };
    const recent = ['removed', 'changed'];
    expect(await withPlan('free')).to.deep.equal([['imported', ...recent], recent]);
    expect(await withPlan('pro')).to.deep.equal([
      ['imported', ...recent, 'old'],
      [...recent, 'old'],
    ]);
    await GuildRecord.updateOne({ _id: guildId }, { $set: { plan: 'enterprise' } });
  });

  it('The documentation of GET …/logs lists every action there is', async () => {
    const { body } = await guild.api.get('/api/openapi.json');
    const { action } = body.components.schemas.AuditEntry.properties;
    expect(action.enum).to.deep.equal(Object.keys(auditActions));
    for (const [name, meaning] of Object.entries(auditActions)) {
      expect(name).to.match(/^[a-z_]+\.[a-z_]+$/);
      expect(action.description).to.contain(`\`${name}\`: ${meaning}`);
    }
    const filter = body.paths['/api/guilds/{guildId}/logs'].get.parameters.find(
      ({ name }: { name: string }) => name === 'action',
    );
    expect(filter.schema.enum).to.include.members(['mapping.*', 'mapping.created']);
  });

  it('GET …/logs reads each filter by an index, in its order and little more than a page', async () => {
    const { guildId } = await buildGuild();
    const at = new Date();
    for (let index = 0; index < 200; index += 1) {
      const rare = index % 20 === 0;
      await insertEntry(guildId, {
        at: new Date(at.getTime() - index),
        action: rare ? 'mapping.removed' : 'member.synced',
        actor: { kind: 'user', id: rare ? '7' : '8', name: 'Ann' },
        target: { kind: 'mapping', id: rare ? 'map_1' : 'map_2' },
      });
    }
    const cursor = encodeCursor([newId('log', at).slice(4), at.getMilliseconds()]);
    for (const filter of [
      {},
      { from: daysAgo(10), to: at },
      { action: 'mapping.removed' as const },
      { action: 'mapping.*' as const },
      { actorId: '7' },
      { targetId: 'map_1' },
    ]) {
      for (const behind of [undefined, cursor]) {
        const wanted = pageFilter({ _id: guildId, plan: 'free' }, filter, behind);
        const read = AuditLog.cursor(wanted, { sort: newestFirst, batchSize: 5, hint: indexFor(filter) }).limit(5);
        const { queryPlanner, executionStats } = await read.explain('executionStats');
        const stages = JSON.stringify(queryPlanner.winningPlan);
        const what = `${JSON.stringify(filter)}: ${stages}`;
        expect(stages, what).to.contain('"IXSCAN"').and.not.contain('"SORT"').and.not.contain('"COLLSCAN"');
        expect(executionStats.nReturned, what).to.equal(5);
        expect(executionStats.totalDocsExamined, what).to.be.at.most(7);
      }
    }
  });
});
