import { expect } from 'chai';
import { GuildRecord } from '../../../src/core/guilds/guild-model.js';
import { platformMetricsView } from '../../../src/features/admin/platform-metrics.js';
import { Members, memberIndexes } from '../../../src/features/members/member-model.js';
import { storeErasure } from '../../../src/features/privacy/erasure-store.js';
import { buildGuild, buildMember, buildPerson, linkPerson } from '../../support/build.js';
import { eraseNow } from '../privacy/privacy-setup.js';
import { type AdminApi, adminApi } from './admin-setup.js';

const listed = (body: { data: { guildId: string }[] }) => body.data.map(({ guildId }) => guildId);

describe('The list of guilds for platform admins', () => {
  let admin: AdminApi;
  const mark = `Listed ${Date.now()}`;
  const find = async (filter: string) => listed((await admin.get(`/api/admin/guilds?q=${mark}&${filter}`)).body);
  let ids: string[];

  before(async () => {
    admin = await adminApi();
    ids = [];
    for (const name of ['One', 'Two (beta)', 'Three'])
      ids.push((await buildGuild({ name: `${mark} ${name}` })).guildId);
    const [one = '', two = '', three = ''] = ids;
    await GuildRecord.updateOne({ _id: one }, { $set: { plan: 'pro' } });
    await GuildRecord.updateOne({ _id: two }, { $set: { present: false } });
    await admin.suspend(three);
  });

  it('The admin’s list finds guilds by the start of their name, in whatever case, or of their id', async () => {
    const [one = '', two = ''] = ids;
    expect(await find('')).to.deep.equal(ids);
    const get = async (q: string) => listed((await admin.get(`/api/admin/guilds?q=${encodeURIComponent(q)}`)).body);
    expect(await get(`${mark.toUpperCase()} TWO (B`)).to.deep.equal([two]);
    expect(await get('Two')).not.to.include(two);
    expect(await get(one)).to.deep.equal([one]);
    expect(await get(one.slice(0, -1))).to.include(one);
    expect(await get(one.slice(1))).not.to.include(one);
    expect(await get('.*')).to.deep.equal([]);
  });

  it('The admin’s list filters guilds by plan, state and presence in one request', async () => {
    const [one, two, three] = ids;
    expect(await find('plan=pro')).to.deep.equal([one]);
    expect(await find('state=suspended')).to.deep.equal([three]);
    expect(await find('present=false')).to.deep.equal([two]);
    expect(await find('present=true')).to.deep.equal([one, three]);
    expect(await find('present=true&state=active&plan=enterprise')).to.deep.equal([]);
    expect((await admin.get('/api/admin/guilds?present=yes')).status).to.equal(400);
  });

  it('The admin’s list of guilds returns every field of a guild', async () => {
    const guild = await buildGuild();
    await buildMember(guild);
    const { guildId, ownerId } = guild;
    const { body } = await admin.get(`/api/admin/guilds?q=${guildId}`);
    expect(body.data[0]).to.deep.include({
      ...{ guildId, ownerId, name: guild.guild.name, plan: 'enterprise', state: 'active' },
      ...{ suspension: null, present: true, linkedMembers: 1, joinedAt: guild.guild.joinedAt.toISOString() },
      suspendedBy: null,
    });
  });

  // DASH-91
  it('The admin’s list names the admin of a suspension as the log does, and none without an entry', async () => {
    const { guildId } = await buildGuild();
    const { username } = (await admin.get('/api/auth/me')).body;
    const listed = async () => (await admin.get(`/api/admin/guilds?q=${guildId}`)).body.data[0];
    const suspended = await admin.post(`/api/admin/guilds/${guildId}/suspend`, { reason: 'Spam' });
    expect([suspended.body.suspendedBy, (await listed()).suspendedBy]).to.deep.equal([username, username]);
    await GuildRecord.updateOne({ _id: guildId }, { $set: { 'suspension.by': '100000000000000999' } });
    expect((await listed()).suspendedBy).to.equal(null);
    const restored = await admin.post(`/api/admin/guilds/${guildId}/unsuspend`, {});
    expect(restored.body.suspendedBy).to.equal(null);
  });
});

describe('The metrics of the platform', () => {
  it('The platform’s metrics count guilds, accounts, members, pending syncs and open erasures', async () => {
    const admin = await adminApi();
    const read = async () => platformMetricsView.parse((await admin.get('/api/admin/metrics')).body);
    const before = await read();
    const guild = await buildGuild();
    const left = await buildGuild();
    const person = await buildMember(guild);
    const owing = { guildId: guild.guildId, chatUserId: person.chatUserId };
    await linkPerson(null, await buildPerson());
    await GuildRecord.updateOne({ _id: left.guildId }, { $set: { present: false, plan: 'free' } });
    await admin.suspend(left.guildId);
    const dueAt = new Date(Date.now() + 600_000);
    await Members.update(owing, { $set: { owedSync: { id: 'x', trigger: 'api', dueAt, attempts: 0 } } });
    const { chatUserId } = await buildPerson();
    await storeErasure(chatUserId, 'somebody');
    const after = await read();
    await eraseNow();

    const grown = (pick: (metrics: typeof before) => number) => pick(after) - pick(before);
    expect(grown(({ guilds }) => guilds.total)).to.equal(2);
    expect(grown(({ guilds }) => guilds.present)).to.equal(1);
    expect(grown(({ guilds }) => guilds.suspended)).to.equal(1);
    expect(grown(({ guilds }) => guilds.byPlan.enterprise)).to.equal(1);
    expect(grown(({ guilds }) => guilds.byPlan.free)).to.equal(0);
    expect(grown(({ accounts }) => accounts.linked)).to.equal(2);
    expect(grown(({ members }) => members.linked)).to.equal(1);
    expect(after.syncs.owed).to.be.greaterThan(0);
    expect(after.erasures.open).to.be.greaterThan(0);
    expect(after.deliveries).to.include.keys('pending', 'retrying', 'oldestDueSeconds', 'attempts');
    expect(after.jobs).to.include.keys('retry-syncs', 'catch-up-guilds', 'erasures', 'run-resync');
    expect(after.process.uptimeSeconds).to.be.at.least(0);
    expect(after.process.version).to.match(/^\d+\.\d+\.\d+/);
    expect(after.process.memory.rssBytes).to.be.greaterThan(10_000_000);
  });

  it('The platform’s metrics read the numbers of guilds and of linked members from an index alone', async () => {
    const explain = await GuildRecord.aggregate([
      { $sort: { present: 1, state: 1, plan: 1 } },
      { $group: { _id: { present: '$present', state: '$state', plan: '$plan' }, count: { $sum: 1 } } },
    ]).explain('executionStats');
    expect(JSON.stringify(explain)).to.contain('"totalDocsExamined":0');
    const guild = await buildGuild();
    await buildMember(guild);
    const members = await Members.acrossGuilds.collection
      .find({ guildId: guild.guildId, state: 'linked' }, { projection: { _id: 0, guildId: 1 } })
      .hint(memberIndexes.linkedAt)
      .explain('executionStats');
    expect(JSON.stringify(members)).to.contain('"totalDocsExamined":0');
  });
});
