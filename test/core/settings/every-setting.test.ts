// Longer than 400 lines: one table of all settings, which nobody can leave by half.

import { expect } from 'chai';
import sinon from 'sinon';
import { chatUser } from '../../../src/core/actors/actor.js';
import { GuildRecord } from '../../../src/core/guilds/guild-model.js';
import { findGuild } from '../../../src/core/guilds/guild-service.js';
import { defaultSettings, type GuildSettings } from '../../../src/core/settings/guild-settings.js';
import { readSettings } from '../../../src/core/settings/settings-service.js';
import { sendDueJoinMessages } from '../../../src/edges/interactions/join-message.js';
import { gathering } from '../../../src/features/log-channel/log-channel.js';
import { findMember } from '../../../src/features/members/member-service.js';
import { unlinkMember } from '../../../src/features/members/member-unlinks.js';
import { enqueueRegularReconciliations } from '../../../src/features/sync/resync/resync-schedule.js';
import { labelsOf, privateWords } from '../../commands/private-answer.js';
import { buildDiscordManager } from '../../commands/team.js';
import { usesOther } from '../../features/accounts/other-account.js';
import {
  buildGroupGuild,
  buildSettledMember,
  type GroupGuild,
  lastSyncOf,
  mapTo,
  rankFrom,
  rolesOf,
  sync,
} from '../../features/sync/sync-setup.js';
import { buildApplicant, writeAbout } from '../../features/verification/verification-setup.js';
import { asPerson, signIn } from '../../support/api.js';
import { withPromptSyncs } from '../../support/background.js';
import {
  buildMember,
  buildPerson,
  eventually,
  linkPerson,
  skipReconciliations,
  type TestPerson,
} from '../../support/build.js';
import { factsWhere } from '../../support/events.js';
import { world } from '../../support/world.js';
import { settingPaths } from './other-settings.js';
import { rolesWhilePending } from './pending-joiner.js';

type Section = { [S in keyof GuildSettings]: GuildSettings[S] extends object ? S : never }[keyof GuildSettings];

interface Effect {
  /** The change to the defaults; may depend on the guild. */
  change(guild: GroupGuild): Promise<Partial<GuildSettings>> | Partial<GuildSettings>;
  /** The effect in a guild with the defaults, and in one with the change. */
  seen(guild: GroupGuild): Promise<unknown>;
  usually: unknown;
  changed: unknown;
}

const hourMs = 60 * 60_000;

function inSection<S extends Section>(section: S, change: Partial<GuildSettings[S]>): () => Partial<GuildSettings> {
  return () => ({ [section]: { ...defaultSettings[section], ...change } });
}

async function codeOfSession({ guildId, api }: GroupGuild, method: string): Promise<unknown> {
  const { discord } = await world();
  const { chatUserId } = await buildPerson();
  discord.join(guildId, chatUserId);
  const { status, body } = await api.post('/api/verification/session', { guildId, method, chatUserId });
  return status === 201 ? 'begun' : body.code;
}

/** A role that nothing maps, known to the service. */
async function staffOf({ guildId }: GroupGuild): Promise<string> {
  const { discord } = await world();
  const there = discord.roles(guildId).find(({ name }) => name === 'Staff');
  const { id } = there ?? discord.addRole(guildId, { name: 'Staff' });
  await factsWhere(guildId, ({ roles }) => roles.has(id), 'the role');
  return id;
}

/** A synced person with that role, for whom another is mapped. */
async function syncedStaff(guild: GroupGuild): Promise<TestPerson> {
  await mapTo(guild, { type: 'verified' });
  const person = await buildMember(guild, { roleIds: [await staffOf(guild)] });
  await sync(guild, person);
  return person;
}

async function verifyYoung(guild: GroupGuild): Promise<unknown> {
  const person = await buildPerson({ createdAt: new Date(Date.now() - 3 * 24 * hourMs) });
  const applicant = await buildApplicant({ guild, person });
  await writeAbout(applicant);
  const { token } = applicant;
  const { gameUsername } = person;
  const me = await asPerson(person);
  const { body } = await me.post('/api/verification/complete', { token, gameUsername });
  return body.reason ?? 'verified';
}

async function nicknameOfOfficer(guild: GroupGuild): Promise<unknown> {
  const { discord, roblox } = await world();
  const person = await buildPerson();
  roblox.setRank(guild.groupId, person.gameUserId, 100);
  await buildMember(guild, { person });
  const { nickname } = discord.member(guild.guildId, person.chatUserId) ?? {};
  return nickname?.replaceAll(person.gameUsername, 'GAME').replaceAll(person.username, 'CHAT') ?? null;
}

async function joinVerified(guild: GroupGuild): Promise<unknown> {
  const { discord } = await world();
  const person = await buildPerson();
  await linkPerson(null, person);
  discord.join(guild.guildId, person.chatUserId);
  const member = await eventually(async () => {
    const found = await findMember(guild.guildId, person.chatUserId);
    return found?.syncs.length ? found : null;
  }, 'the joining');
  return member.state;
}

const joining = { seen: joinVerified, usually: 'linked', changed: 'joined' };

/** The message to an unknown joining person, by direct message or in the channel. */
async function tellsJoiner({ guildId }: GroupGuild): Promise<string> {
  const { discord } = await world();
  const { chatUserId } = await buildPerson();
  discord.join(guildId, chatUserId);
  const synced = async () => (await findMember(guildId, chatUserId))?.syncs.length;
  await eventually(synced, 'the joining');
  await sendDueJoinMessages(new AbortController().signal);
  const isOver = async () => (await findMember(guildId, chatUserId))?.joinMessage === undefined;
  await eventually(isOver, 'the message');
  const told = [...discord.directMessages(chatUserId), ...discord.messages(discord.channel(guildId).id)];
  return told.map(({ content }) => content).join();
}

async function unlinkOne(guild: GroupGuild): Promise<TestPerson> {
  await mapTo(guild, { type: 'verified' });
  const person = await buildSettledMember(guild);
  await unlinkMember(guild.guild, person.chatUserId, chatUser(guild.ownerId, 'Owner'));
  await eventually(async () => (await lastSyncOf(guild, person))?.trigger === 'unlink', 'the sync');
  return person;
}

/** Whether a guild is resynced automatically within `hours` after the bot was added. */
async function resyncedAfter(guild: GroupGuild, hours: number): Promise<unknown> {
  const joinedAt = new Date(Date.now() - hours * hourMs);
  await GuildRecord.updateOne({ _id: guild.guildId }, { $set: { joinedAt } });
  await enqueueRegularReconciliations(new Date(), new AbortController().signal);
  const isPending = (await findGuild(guild.guildId))?.catchUpSince !== undefined;
  await skipReconciliations();
  return isPending;
}

/** Whether a resync that takes a role from one of three people, among them the owner, would wait for an admin. */
async function wouldStop(guild: GroupGuild): Promise<unknown> {
  const { discord } = await world();
  const [officer = ''] = await mapTo(guild, rankFrom(guild, 100));
  const [former] = [await buildSettledMember(guild), await buildSettledMember(guild)];
  discord.setMemberRoles(guild.guildId, former.chatUserId, [officer]);
  const { body } = await guild.api.post(`${guild.path}/sync/preview`, {});
  expect(body.summary).to.include({ removing: 1 });
  return body.summary.wouldStopAtBrake;
}

async function postsAfterChange({ guildId, api, path, groupId }: GroupGuild): Promise<unknown> {
  const { discord } = await world();
  await api.delete(`${path}/groups/${groupId}`);
  const said = () => discord.messages(discord.channel(guildId).id).some(({ content }) => content.includes('removed'));
  return eventually(said, 'a post', 15 * gathering.forMs).then(
    () => true,
    () => false,
  );
}

let told: { id: string } | undefined;

async function toldUniverse(): Promise<{ id: string }> {
  told ??= (await world()).roblox.addUniverse();
  return told;
}

/** Whether a verified person is told to the running games. */
async function tellsGames(guild: GroupGuild): Promise<boolean> {
  const { id } = await toldUniverse();
  const { gameUserId } = await buildMember(guild);
  const { roblox } = await world();
  const said = () => roblox.universe(id).messages.some(({ message }) => message.includes(gameUserId));
  return eventually(said, 'a message', 3_000).then(
    () => true,
    () => false,
  );
}

const healthOf = async ({ api, path }: GroupGuild): Promise<string[]> =>
  (await api.get(path)).body.health.map(({ code }: { code: string }) => code);

async function rolesOfVerified(guild: GroupGuild, person?: TestPerson): Promise<unknown> {
  await mapTo(guild, { type: 'verified' });
  return (await rolesOf(guild, await buildMember(guild, person && { person })))?.length;
}

/** A restriction that keeps all verified people from their role. */
const restricting = (wish: (guild: GroupGuild) => Partial<GuildSettings['restrictions']>): Effect => ({
  change: (guild) => ({ restrictions: { ...defaultSettings.restrictions, ...wish(guild) } }),
  seen: (guild) => rolesOfVerified(guild),
  usually: 1,
  changed: 0,
});

const effects: Record<string, Effect> = {
  'verification.enabled': {
    change: inSection('verification', { enabled: false }),
    seen: (guild) => codeOfSession(guild, 'profile_code'),
    usually: 'begun',
    changed: 'verification_disabled',
  },
  'verification.methods': {
    change: inSection('verification', { methods: ['profile_code'] }),
    seen: (guild) => codeOfSession(guild, 'oauth'),
    usually: 'begun',
    changed: 'method_unavailable',
  },
  'verification.minimumAccountAgeDays': {
    change: inSection('verification', { minimumAccountAgeDays: 4 }),
    seen: verifyYoung,
    usually: 'verified',
    changed: 'account_too_new',
  },
  'nickname.enabled': {
    change: inSection('nickname', { enabled: false }),
    seen: nicknameOfOfficer,
    usually: 'GAME',
    changed: null,
  },
  'nickname.template': {
    change: ({ groupId }) => {
      const template = `{groupRank:${groupId}}{groupRole:${groupId}}|{chatUsername}|{gameUsername}`;
      return { nickname: { enabled: true, template } };
    },
    seen: nicknameOfOfficer,
    usually: 'GAME',
    changed: '100Officer|CHAT|GAME',
  },
  'bypass.keepRoles': {
    change: async (guild) => ({ bypass: { ...defaultSettings.bypass, keepRoles: [await staffOf(guild)] } }),
    seen: async (guild) => (await rolesOf(guild, await syncedStaff(guild)))?.length,
    usually: 2,
    changed: 1,
  },
  'bypass.keepNickname': {
    change: async (guild) => ({ bypass: { ...defaultSettings.bypass, keepNickname: [await staffOf(guild)] } }),
    seen: async (guild) => {
      const { discord } = await world();
      const { chatUserId, gameUsername } = await syncedStaff(guild);
      return discord.member(guild.guildId, chatUserId)?.nickname === gameUsername;
    },
    usually: true,
    changed: false,
  },
  'restrictions.action': {
    change: inSection('restrictions', { action: 'kick', minimumAccountAgeDays: 3_000 }),
    seen: async (guild) => (await healthOf(guild)).includes('missing_kick_members'),
    usually: false,
    changed: true,
  },
  'restrictions.minimumAccountAgeDays': restricting(() => ({ minimumAccountAgeDays: 3_000 })),
  'restrictions.requiredGroupIds': restricting(({ groupId }) => ({ requiredGroupIds: [groupId] })),
  'restrictions.deniedGroupIds': {
    change: ({ groupId }) => ({ restrictions: { ...defaultSettings.restrictions, deniedGroupIds: [groupId] } }),
    seen: async (guild) => {
      const person = await buildPerson();
      (await world()).roblox.setRank(guild.groupId, person.gameUserId, 1);
      return rolesOfVerified(guild, person);
    },
    usually: 1,
    changed: 0,
  },
  'restrictions.deniedGameUserIds': {
    change: async () => {
      const { roblox } = await world();
      const { id } = roblox.addUser({ username: 'DeniedOne' });
      return { restrictions: { ...defaultSettings.restrictions, deniedGameUserIds: [id] } };
    },
    seen: async (guild) => {
      const { restrictions } = await readSettings(guild.guildId);
      const [gameUserId] = restrictions.deniedGameUserIds;
      const person = await buildPerson();
      return rolesOfVerified(guild, { ...person, gameUserId: gameUserId ?? person.gameUserId });
    },
    usually: 1,
    changed: 0,
  },
  'restrictions.reason': {
    change: inSection('restrictions', { minimumAccountAgeDays: 3_000, reason: 'Ask us.' }),
    seen: async (guild) => {
      const { chatUserId } = await buildMember(guild);
      const { discord } = await world();
      return (await privateWords(discord.command(guild.guildId, chatUserId, 'update'))).includes('Ask us.');
    },
    usually: false,
    changed: true,
  },
  'joinMessage.to': {
    change: inSection('joinMessage', { to: 'dm' }),
    seen: async (guild) => (await tellsJoiner(guild)).slice(0, 10),
    usually: '',
    changed: 'Welcome to',
  },
  'joinMessage.channelId': {
    change: async ({ guildId }) => {
      const { id: channelId } = (await world()).discord.channel(guildId);
      return { joinMessage: { to: 'channel', channelId, text: null } };
    },
    seen: async (guild) => (await tellsJoiner(guild)).slice(0, 10),
    usually: '',
    changed: 'Welcome <@',
  },
  'joinMessage.text': {
    change: inSection('joinMessage', { to: 'dm', text: 'Hi!' }),
    seen: async (guild) => (await tellsJoiner(guild)).split('\n').at(-1) ?? '',
    usually: '',
    changed: 'Hi!',
  },
  mode: { change: () => ({ mode: 'observe' }), seen: (guild) => rolesOfVerified(guild), usually: 1, changed: 0 },
  autoLinkOnJoin: { change: () => ({ autoLinkOnJoin: false }), ...joining },
  accounts: { change: () => ({ accounts: 'main' }), seen: usesOther, usually: 200, changed: 409 },
  waitForRules: { change: () => ({ waitForRules: false }), seen: rolesWhilePending, usually: 0, changed: 1 },
  reveal: { change: () => ({ reveal: 'ask' }), ...joining },
  'unlink.removeRoles': {
    change: inSection('unlink', { removeRoles: false }),
    seen: async (guild) => (await rolesOf(guild, await unlinkOne(guild)))?.length,
    usually: 0,
    changed: 1,
  },
  'unlink.resetNickname': {
    change: inSection('unlink', { resetNickname: false }),
    seen: async (guild) => {
      const { chatUserId, gameUsername } = await unlinkOne(guild);
      return (await world()).discord.member(guild.guildId, chatUserId)?.nickname === gameUsername;
    },
    usually: false,
    changed: true,
  },
  'resync.automatic': {
    change: inSection('resync', { automatic: false }),
    seen: (guild) => resyncedAfter(guild, 2),
    usually: true,
    changed: false,
  },
  'resync.everyHours': {
    change: inSection('resync', { everyHours: 3 }),
    seen: (guild) => resyncedAfter(guild, 2),
    usually: true,
    changed: false,
  },
  'massRemoval.people': {
    change: inSection('massRemoval', { people: 1 }),
    seen: wouldStop,
    usually: false,
    changed: true,
  },
  'massRemoval.sharePercent': {
    // One of three is more than the usual share, and not more than this one.
    change: inSection('massRemoval', { people: 1, sharePercent: 40 }),
    seen: wouldStop,
    usually: false,
    changed: false,
  },
  universeIds: {
    change: async () => ({ universeIds: [(await toldUniverse()).id] }),
    seen: tellsGames,
    usually: false,
    changed: true,
  },
  logChannelId: {
    change: async ({ guildId }) => ({ logChannelId: (await world()).discord.channel(guildId).id }),
    seen: postsAfterChange,
    usually: false,
    changed: true,
  },
  trustDiscordAdmins: {
    change: () => ({ trustDiscordAdmins: false }),
    seen: async (guild) => {
      const { chatUserId } = await buildDiscordManager(guild);
      return (await (await signIn(chatUserId)).get(guild.path)).status;
    },
    usually: 200,
    changed: 404,
  },
  locale: {
    change: () => ({ locale: 'de' }),
    seen: async ({ guildId, ownerId }) => {
      const { discord } = await world();
      await privateWords(discord.command(guildId, ownerId, 'panel'));
      const [panel] = discord.messages(discord.channel(guildId).id);
      return panel && labelsOf(panel).join();
    },
    usually: 'Verify',
    changed: 'Verifizieren',
  },
};

describe('The effects of settings', () => {
  withPromptSyncs();
  beforeEach(() => sinon.replace(gathering, 'forMs', 100));
  afterEach(() => sinon.restore());

  it('Every setting has its effect tested here', () => {
    expect(Object.keys(effects)).to.have.members(settingPaths);
  });

  for (const [name, { change, seen, usually, changed }] of Object.entries(effects)) {
    it(`The setting ${name} has its documented effect`, async () => {
      const [usual, other] = [await buildGroupGuild(), await buildGroupGuild()];
      const settings = { ...defaultSettings, ...(await change(other)) };
      const { status, body } = await other.api.put(`${other.path}/settings`, settings);
      expect(status, JSON.stringify(body)).to.equal(200);
      expect(await seen(usual), 'as usual').to.equal(usually);
      expect(await seen(other), 'changed').to.equal(changed);
    });
  }
});
