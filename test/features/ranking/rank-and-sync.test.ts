import { expect } from 'chai';
import { AuditLog } from '../../../src/core/audit/audit-model.js';
import { goOnErasing } from '../../../src/features/privacy/erasure.js';
import { RankChanges } from '../../../src/features/ranking/rank-change-model.js';
import { purgeRankChanges } from '../../../src/features/ranking/rank-changes-of-person.js';
import { clock } from '../../../src/lib/clock.js';
import { dayMs } from '../../../src/lib/time.js';
import { privateWords } from '../../commands/private-answer.js';
import { asPerson } from '../../support/api.js';
import { emptyOutboxes } from '../../support/background.js';
import { eventually, type TestPerson } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import { mapTo, rankFrom, rolesOf, setSettings, sync, withoutNicknames } from '../sync/sync-setup.js';
import { allPaid, beginAlone, beginWatch, triggersOf, watchAfter } from '../sync/watch-setup.js';
import { buildRankingGuild, type RankingGuild, rankedMember, ranksOf } from './ranking-setup.js';

describe('A change of a rank, and the rest of Rolelink', () => {
  let discord: World['discord'];
  let roblox: World['roblox'];
  let guild: RankingGuild;
  let roleId: string;

  before(async () => {
    ({ discord, roblox } = await world());
    await beginAlone();
    guild = await buildRankingGuild();
    await withoutNicknames(guild);
    [roleId = ''] = await mapTo(guild, rankFrom(guild, 6));
  });
  beforeEach(() => guild.useKey());
  afterEach(() => clock.restore());

  const change = ({ gameUserId }: TestPerson, step: 1 | -1 = 1) =>
    guild.owner.post(guild.ranksPath, { gameUserId, step });
  const entriesAbout = ({ chatUserId }: TestPerson) =>
    AuditLog.find({ guildId: guild.guildId, 'target.id': chatUserId });

  // RANKING-3
  it('While the server observes, the rank changes on Roblox, and the roles on Discord stay', async () => {
    const person = await rankedMember(guild, 'Recruit');
    await setSettings(guild, { mode: 'observe' });
    expect((await change(person)).body.state).to.equal('done');
    expect(await ranksOf(guild, person)).to.deep.equal([6]);
    expect(await rolesOf(guild, person)).to.deep.equal([]);
    await setSettings(guild, { mode: 'enforce' });
    await sync(guild, person);
    expect(await rolesOf(guild, person)).to.deep.equal([roleId]);
  });

  // RANKING-11, RANKING-12
  it('A demotion takes the role at once, and Roblox is read no second time for it', async () => {
    const person = await rankedMember(guild, 'Private');
    await sync(guild, person);
    expect(await rolesOf(guild, person)).to.deep.equal([roleId]);
    const from = roblox.requests.length;
    expect((await change(person, -1)).body.state).to.equal('done');
    expect(await rolesOf(guild, person)).to.deep.equal([]);
    const reads = roblox.requests.slice(from).filter(({ path }) => /\/memberships\?|\/memberships$/.test(path));
    expect(reads.length, JSON.stringify(reads)).to.be.at.most(1);
  });

  // RANKING-30
  it('Right after a change, /why and the member’s page show the new rank, its time and its author', async () => {
    const person = await rankedMember(guild, 'Recruit');
    await sync(guild, person);
    const page = `${guild.path}/members/${person.chatUserId}`;
    const look = async () => {
      const [{ body: why }, { body: member }] = [await guild.owner.get(`${page}/why`), await guild.owner.get(page)];
      const ranks = why.groups[0].roles.map(({ rank }: { rank: number }) => rank);
      const changes = why.mappings.map(({ roles }: { roles: { change: string | null }[] }) => roles[0]?.change);
      const groupRank = member.groupRanks[0].roles[0].rank;
      return { ranks, changes, groupRank, latest: why.latestRankChange };
    };
    expect(await look()).to.deep.equal({ ranks: [5], changes: [null], groupRank: 5, latest: null });
    await guild.owner.post(guild.ranksPath, { memberId: person.chatUserId, step: 1, reason: 'Passed the quiz' });
    const { latest, ...shown } = await look();
    expect(shown).to.deep.equal({ ranks: [6], changes: [null], groupRank: 6 });
    expect([latest.actor.id, latest.reason, latest.after[0].name]).to.deep.equal([
      guild.ownerId,
      'Passed the quiz',
      'Private',
    ]);
    const member = { member: person.chatUserId };
    const words = await privateWords(discord.command(guild.guildId, guild.ownerId, 'why', member));
    expect(words).to.contain('Private (rank 6)').and.contain('Rank changed <t:').and.contain('Recruit → Private');
    expect(words).to.contain(`<@${guild.ownerId}>`);
    const own = await privateWords(discord.command(guild.guildId, person.chatUserId, 'why'));
    expect(own).to.contain('Private (rank 6)').and.not.contain('Rank changed');
    expect((await change(person, -1)).body.state).to.equal('done');
    expect(await look()).to.deep.include({ ranks: [5], changes: [null], groupRank: 5 });
  });

  // RANKING-18
  it('The watch of ranks adds no second entry and no second sync to a change', async () => {
    const person = await rankedMember(guild, 'Recruit');
    roblox.showGroupLog(guild.groupId);
    await sync(guild, person);
    await beginWatch(guild);
    expect((await change(person)).body.state).to.equal('done');
    const [before, triggers] = [await entriesAbout(person), await triggersOf(guild, person)];
    expect(triggers.at(-1)).to.equal('rank_change');
    await watchAfter(61);
    await watchAfter(61);
    await allPaid(guild);
    const after = await entriesAbout(person);
    expect(after.map(({ action }) => action)).to.deep.equal(before.map(({ action }) => action));
    expect(after.filter(({ action }) => action === 'member.ranked')).to.have.length(1);
    expect(await triggersOf(guild, person)).to.deep.equal(triggers);
    expect(await rolesOf(guild, person)).to.deep.equal([roleId]);
  });

  // RANKING-20
  it('Changes of ranks are removed after 30 days', async () => {
    const person = await rankedMember(guild, 'Recruit');
    const { changeId } = (await change(person)).body;
    const { at } = (await RankChanges.findOne({ guildId: guild.guildId, _id: changeId })) ?? expect.fail();
    const isKept = async () => (await RankChanges.findOne({ guildId: guild.guildId, _id: changeId })) !== null;
    await emptyOutboxes();
    await purgeRankChanges(new Date(at.getTime() + 30 * dayMs - 1));
    expect(await isKept()).to.equal(true);
    await purgeRankChanges(new Date(at.getTime() + 30 * dayMs + 1));
    expect(await isKept()).to.equal(false);
  });

  // RANKING-20, PRIV-3
  it('A person’s export has the changes of their rank, and their erasure removes them', async () => {
    const person = await rankedMember(guild, 'Recruit');
    const { changeId } = (await change(person)).body;
    const me = await asPerson(person);
    const { rankChanges } = (await me.get('/api/auth/me/export')).body;
    expect(rankChanges.map((each: { changeId: string }) => each.changeId)).to.deep.equal([changeId]);
    expect(rankChanges[0]).to.deep.include({ groupId: guild.groupId, gameUserId: person.gameUserId, state: 'done' });
    expect((await me.delete('/api/auth/me')).status).to.equal(202);
    // The erasure waits for the last sync.
    await allPaid(guild);
    await goOnErasing(new AbortController().signal);
    await eventually(
      async () => (await RankChanges.findOne({ guildId: guild.guildId, _id: changeId })) === null,
      'the erasure',
    );
    await eventually(
      async () =>
        !JSON.stringify(await AuditLog.find({ guildId: guild.guildId, action: 'member.ranked' })).includes(
          person.gameUsername,
        ),
      'the log without the name',
    );
  });
});
