import { expect } from 'chai';
import { PermissionFlagsBits } from 'discord.js';
import { chatUser } from '../../../src/core/actors/actor.js';
import { defaultSettings } from '../../../src/core/settings/guild-settings.js';
import { noRestrictions } from '../../../src/core/settings/restrictions.js';
import { unlinkAccount } from '../../../src/features/accounts/account-service.js';
import { planning } from '../../../src/features/people-import/people-import-review.js';
import { asPerson } from '../../support/api.js';
import { runPendingSyncs } from '../../support/background.js';
import { buildGuild, buildMember, buildPerson, eventually, linkPerson, type TestPerson } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import {
  buildGroupGuild,
  type GroupGuild,
  mapTo,
  rankFrom,
  reconfigureRoblox,
  setSettings,
  withoutNicknames,
} from '../sync/sync-setup.js';
import { pairOf, runImport } from './import-setup.js';

const noEffects = { gain: 0, lose: 0, renamed: 0, kicked: 0, unknown: 0, roles: [], people: [] };
const unknownCounts = { gain: null, lose: null, renamed: null, kicked: null, unknown: null, roles: [], people: [] };

// PEOPLE-23, PEOPLE-24, PEOPLE-25, PEOPLE-26
describe('The effects of an import of people', () => {
  let discord: World['discord'];
  let roblox: World['roblox'];
  let guild: GroupGuild;
  let officer: string;

  before(async () => {
    ({ discord, roblox } = await world());
  });
  beforeEach(async () => {
    guild = await buildGroupGuild();
    [officer = ''] = await mapTo(guild, rankFrom(guild, 100));
  });
  afterEach(() => roblox.clearFaults());

  const dryRun = async (people: readonly { chatUserId: string; gameUserId: string }[]) => {
    const { status, body } = await guild.api.post(`${guild.path}/people/import`, { people });
    expect(status, JSON.stringify(body)).to.equal(200);
    return body;
  };
  const outsider = (roleIds: string[] = []) => buildMember(guild, { linked: false, roleIds });
  const ranked = async (rank: number): Promise<TestPerson> => {
    const person = await outsider();
    roblox.setRank(guild.groupId, person.gameUserId, rank);
    return person;
  };

  it('A dry run counts members who would gain, lose, be renamed or kicked, by role, and names losers first', async () => {
    const gainers = [await ranked(100), await ranked(100), await ranked(100)];
    const loser = await outsider([officer]);
    const named = await ranked(1);
    discord.setNickname(guild.guildId, named.chatUserId, named.gameUsername);
    const banned = await ranked(255);
    const restrictions = { ...noRestrictions, action: 'kick' as const, deniedGameUserIds: [banned.gameUserId] };
    const { id, permissions } = discord.botRole(guild.guildId);
    discord.updateRole(guild.guildId, id, { permissions: permissions | PermissionFlagsBits.KickMembers });
    await eventually(async () => (await guild.api.get(guild.path)).body.botPermissions.includes('KickMembers'));
    await setSettings(guild, { restrictions });
    const { effects, observing } = await dryRun([...gainers, loser, named, banned].map(pairOf));
    expect(observing).to.equal(false);
    const { people, ...counts } = effects;
    expect(counts).to.deep.equal({
      ...{ state: 'planned', reason: null, gain: 3, lose: 1, renamed: 4, kicked: 1, unknown: 0 },
      roles: [{ roleId: officer, gain: 3, lose: 1 }],
    });
    expect(people).to.have.length(3);
    expect(people[0]).to.include({ memberId: banned.chatUserId, kick: 'denied_user' });
    expect(people[1]).to.include({
      ...{ memberId: loser.chatUserId, chatUsername: loser.username, gameUsername: loser.gameUsername },
      nickname: loser.gameUsername,
    });
    expect(people[1].remove).to.deep.equal([officer]);
    expect(discord.member(guild.guildId, loser.chatUserId)?.roleIds).to.deep.equal([officer]);
  });

  it('The effects of an import are those that its syncs then make', async () => {
    await withoutNicknames(guild);
    const people = [await ranked(100), await ranked(1), await outsider([officer])];
    const { effects } = await dryRun(people.map(pairOf));
    expect(effects).to.include({ gain: 1, lose: 1, renamed: 0 });
    await runImport(guild, { people: people.map(pairOf) });
    const holders = () =>
      people.map(({ chatUserId }) => discord.member(guild.guildId, chatUserId)?.roleIds.includes(officer));
    await runPendingSyncs(guild.guildId);
    expect(holders()).to.deep.equal([true, false, false]);
  });

  it('A dry run says that a server only observes, and which other bots may give roles', async () => {
    discord.addRole(guild.guildId, { name: 'Rover', permissions: PermissionFlagsBits.ManageRoles, managed: true });
    discord.addRole(guild.guildId, { name: 'Music', permissions: 0n, managed: true });
    await setSettings(guild, { mode: 'observe' });
    const person = await ranked(100);
    await eventually(async () => (await dryRun([pairOf(person)])).otherBots.length > 0, 'the other bot');
    const { effects, observing, otherBots } = await dryRun([pairOf(person)]);
    expect({ observing, otherBots }).to.deep.equal({ observing: true, otherBots: [{ name: 'Rover' }] });
    expect(effects).to.include({ state: 'planned', gain: 1 });
  });

  // FACT-13
  it('People count without facts of the game, neither their former ones nor missing ones, and these leave nothing open', async () => {
    await withoutNicknames(guild);
    const level = { type: 'fact', key: 'level', atLeast: 10 } as const;
    const [veteran = ''] = await mapTo(guild, level);
    await mapTo(guild, { type: 'not', of: level });
    const [known = ''] = await mapTo(guild, { type: 'any', of: [level, { type: 'verified' }] });
    const former = await buildMember(guild);
    const people = [{ gameUserId: former.gameUserId, facts: { level: 12 } }];
    expect((await guild.api.put(`${guild.path}/facts`, { people })).body.data[0].status).to.equal('stored');
    await runPendingSyncs(guild.guildId);
    const roles = () => discord.member(guild.guildId, former.chatUserId)?.roleIds;
    expect(roles()).to.have.members([veteran, known]);
    await unlinkAccount(former.chatUserId, chatUser(former.chatUserId, former.username));
    await runPendingSyncs(guild.guildId);
    expect(roles()).not.to.include.members([veteran]);
    const { effects } = await dryRun([former, await outsider(), await outsider([veteran])].map(pairOf));
    expect(effects).to.include({ state: 'planned', gain: 3, lose: 0, unknown: 0 });
    expect(effects.roles).to.deep.equal([{ roleId: known, gain: 3, lose: 0 }]);
  });

  it('A server that links nobody by itself is told no effects', async () => {
    const person = await ranked(100);
    for (const change of [{ reveal: 'ask' as const }, { autoLinkOnJoin: false }]) {
      await setSettings(guild, change);
      expect((await dryRun([pairOf(person)])).effects).to.deep.equal({ state: 'planned', reason: null, ...noEffects });
    }
  });

  // SYNC-2
  it('Effects are unknown while Roblox does not answer, and for people whose condition stays open', async () => {
    const person = await ranked(100);
    const restore = reconfigureRoblox({ timeoutMs: 200 });
    roblox.inject({ match: /^GET apis\.roblox\.com\/cloud\/v2\/groups/, status: 500 });
    try {
      expect((await dryRun([pairOf(person)])).effects).to.deep.equal({
        ...{ state: 'unknown', reason: 'roblox_unavailable', ...unknownCounts },
      });
    } finally {
      roblox.clearFaults();
      restore();
    }
    await mapTo(guild, { type: 'premium' });
    const { effects } = await dryRun([pairOf(person)]);
    expect(effects).to.deep.equal({ state: 'planned', reason: null, ...noEffects, unknown: 1 });
  });

  it('Accounts that are too young for the server change nothing', async () => {
    const young = await buildMember(guild, { linked: false, person: await buildPerson({ createdAt: new Date() }) });
    roblox.setRank(guild.groupId, young.gameUserId, 100);
    const old = await ranked(100);
    const verification = { ...defaultSettings.verification, minimumAccountAgeDays: 5 };
    await setSettings(guild, { verification });
    const { effects } = await dryRun([young, old].map(pairOf));
    expect(effects).to.include({ gain: 1, unknown: 0 });
  });

  // PEOPLE-21
  it('The effects of people whose account the server does not see are alike', async () => {
    await mapTo(guild, { type: 'account_age', days: 1 });
    await withoutNicknames(guild);
    const elsewhere = await buildGuild();
    const owner = await buildPerson();
    await linkPerson(null, owner);
    const hidden = await ranked(100);
    await linkPerson(elsewhere.guildId, hidden);
    await (await asPerson(hidden)).put(`/api/auth/me/consents/${guild.guildId}`, { shown: false });
    const refusing = await ranked(100);
    await buildMember(elsewhere, { person: refusing, linked: false });
    await runImport(elsewhere, { people: [pairOf(refusing)] });
    await unlinkAccount(refusing.chatUserId, chatUser(refusing.chatUserId, refusing.username));
    roblox.setRank(guild.groupId, owner.gameUserId, 100);
    const pairs = [
      pairOf(await ranked(100)),
      pairOf(hidden),
      pairOf(refusing),
      { ...pairOf(await outsider()), gameUserId: owner.gameUserId },
    ];
    const told = await Promise.all(pairs.map(async (pair) => (await dryRun([pair])).effects));
    for (const effects of told) expect(effects).to.deep.equal(told[0]);
  });

  it('A long list is planned in the background, and the same dry run answers its effects later', async () => {
    const person = await ranked(100);
    const { patienceMs } = planning;
    planning.patienceMs = 0;
    const restore = reconfigureRoblox();
    roblox.inject({ match: /cloud\/v2\/groups/, delayMs: 200 });
    try {
      expect((await dryRun([pairOf(person)])).effects).to.deep.equal({
        ...{ state: 'planning', reason: null, ...unknownCounts },
      });
      const planned = async () => (await dryRun([pairOf(person)])).effects.state === 'planned';
      await eventually(planned, 'the effects');
    } finally {
      planning.patienceMs = patienceMs;
      restore();
    }
  });

  // RESYNC-56
  it('A preview says that people are not known yet where these alone reach the removal limit', async () => {
    await Promise.all([outsider([officer]), outsider([officer])]);
    await setSettings(guild, { massRemoval: { people: 2, sharePercent: 20 } });
    const { body } = await guild.api.post(`${guild.path}/sync/preview`, {});
    expect(body.summary).to.include({ removing: 2, wouldStopAtBrake: true });
    expect(body.warnings).to.have.length(1);
    expect(body.warnings[0]).to.include({ code: 'people_unknown', removing: 2 });
  });

  it('The effects of another bot’s accounts are known only to the import itself', async () => {
    const { linkSources } = await world();
    await outsider();
    const { body } = await guild.api.post(`${guild.path}/people/import`, { source: 'rover', key: linkSources.key });
    expect(body.effects).to.deep.equal({ state: 'unknown', reason: 'asked_later', ...unknownCounts });
  });
});
