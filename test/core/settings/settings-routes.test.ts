import { expect } from 'chai';
import { PermissionFlagsBits } from 'discord.js';
import mongoose from 'mongoose';
import { config } from '../../../src/config/config.js';
import { systemActor } from '../../../src/core/actors/actor.js';
import { latestEntries } from '../../../src/core/audit/audit-service.js';
import { addGroup } from '../../../src/core/groups/group-service.js';
import { GuildRecord } from '../../../src/core/guilds/guild-model.js';
import { defaultSettings } from '../../../src/core/settings/guild-settings.js';
import { readSettings, readVersionedSettings, writeSettings } from '../../../src/core/settings/settings-service.js';
import { mayWrite } from '../../../src/platforms/discord/permissions.js';
import { configureRoblox } from '../../../src/platforms/roblox/roblox-config.js';
import { api } from '../../support/api.js';
import { buildGuild, type TestGuild, tokenFor } from '../../support/build.js';
import { factsWhere } from '../../support/events.js';
import { type World, world } from '../../support/world.js';
import { everythingElse, settingPaths } from './other-settings.js';

const writing = PermissionFlagsBits.ViewChannel | PermissionFlagsBits.SendMessages;

let discord: World['discord'];
let roblox: World['roblox'];
let guild: TestGuild;
let path: string;

function withGuild(): void {
  before(async () => {
    ({ discord, roblox } = await world());
  });
  beforeEach(async () => {
    guild = await buildGuild();
    path = `${guild.path}/settings`;
  });
}

const put = (body: unknown, headers: Record<string, string> = {}) => guild.api.put(path, body, headers);

const entries = async () =>
  (await latestEntries(guild.guildId, 10)).filter(({ action }) => action === 'settings.updated');
const issuesOf = async (body: unknown) => {
  const answer = await put(body);
  expect(answer.status, JSON.stringify(answer.body)).to.equal(400);
  return answer.body.errors as { path: string; message: string }[];
};

// SET-2, API-27
describe('Reading and replacing the settings', () => {
  withGuild();

  // SET-9
  it('A document from before the modes does not end the observation of a server', async () => {
    await writeSettings(guild.guildId, { ...defaultSettings, mode: 'observe', waitForRules: false });
    const { mode: _, waitForRules: __, ...older } = defaultSettings;
    const wish = { ...older, nickname: { enabled: true, template: 'N {gameUsername}' } };
    const kept = { mode: 'observe', waitForRules: false };
    expect((await guild.api.post(`${guild.path}/sync/preview`, { settings: wish })).status).to.equal(200);
    expect((await guild.api.put(path, wish)).body).to.deep.include({ ...kept, nickname: wish.nickname });
    const file = { groups: [], mappings: [], settings: older };
    const shown = await guild.api.put(`${guild.path}/config?dryRun=true`, file);
    expect(shown.body.changes.map(({ what }: { what: string }) => what.split(':')[0])).to.deep.equal([
      'nickname.template',
    ]);
    expect((await guild.api.put(`${guild.path}/config`, file)).body.config.settings).to.deep.include(kept);
    expect(await readSettings(guild.guildId)).to.deep.equal({ ...defaultSettings, ...kept });
  });

  it('A new guild has the default settings, with an ETag', async () => {
    const { status, headers, body } = await guild.api.get(path);
    expect(status).to.equal(200);
    expect(body).to.deep.equal(defaultSettings);
    expect(headers.get('etag')).to.equal('"0"');
  });

  it('PUT …/settings replaces the settings as a whole, shows and stores them, and logs the changes', async () => {
    const wish = everythingElse(discord.channel(guild.guildId).id);
    const answer = await put(wish);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    expect(answer.body).to.deep.equal(wish);
    expect(answer.headers.get('etag')).to.equal('"1"');
    expect(await readSettings(guild.guildId)).to.deep.equal(wish);
    const again = await guild.api.get(path);
    expect([again.body, again.headers.get('etag')]).to.deep.equal([wish, '"1"']);

    const changed = { ...wish, nickname: { ...wish.nickname, enabled: true }, logChannelId: null };
    expect((await put(changed)).status).to.equal(200);
    const [entry, first] = await entries();
    expect(entry).to.deep.include({ target: { kind: 'settings', id: guild.guildId } });
    expect(entry?.changes).to.deep.equal({
      'nickname.enabled': { from: false, to: true },
      logChannelId: { from: wish.logChannelId, to: null },
    });
    const asBefore = [
      ...['bypass.keepRoles', 'bypass.keepNickname'],
      ...['restrictions.requiredGroupIds', 'restrictions.deniedGroupIds'],
    ];
    const changedPaths = settingPaths.filter((each) => !asBefore.includes(each));
    expect(Object.keys(first?.changes ?? {})).to.have.members(changedPaths);
  });

  // SET-7
  it('PUT …/settings writes nothing when nothing changes', async () => {
    const { headers } = await put(defaultSettings);
    expect(headers.get('etag')).to.equal('"0"');
    expect(await readVersionedSettings(guild.guildId)).to.include({ version: 0 });
    expect(await entries()).to.deep.equal([]);
  });

  it('GET …/settings sends no body to a caller with the current settings', async () => {
    const known = await guild.api.get(path, { 'if-none-match': 'W/"0"' });
    expect([known.status, known.body, known.headers.get('etag')]).to.deep.equal([304, '', '"0"']);
    await put({ ...defaultSettings, autoLinkOnJoin: false });
    expect((await guild.api.get(path, { 'if-none-match': '"0"' })).status).to.equal(200);
  });

  it('Stored settings that lack those of a later version are completed by its defaults', async () => {
    const settings = mongoose.connection.collection('settings');
    await settings.insertOne({ guildId: guild.guildId, settings: { nickname: { enabled: false } }, version: 1 });
    expect((await guild.api.get(path)).body).to.deep.equal({
      ...defaultSettings,
      nickname: { ...defaultSettings.nickname, enabled: false },
    });
  });

  it('Changing settings requires the team role admin, and reading them viewer', async () => {
    const wish = { ...defaultSettings, autoLinkOnJoin: false };
    for (const role of ['viewer', 'manager'] as const) {
      const caller = api(await tokenFor(guild.guildId, role));
      expect((await caller.get(path)).status).to.equal(200);
      expect((await caller.put(path, wish)).status).to.equal(403);
    }
    expect((await api(await tokenFor(guild.guildId, 'admin')).put(path, wish)).status).to.equal(200);
  });
});

describe('Simultaneous changes of the settings', () => {
  withGuild();

  it('PUT …/settings with If-Match replaces only the version of the settings that the caller has seen', async () => {
    const wish = { ...defaultSettings, autoLinkOnJoin: false };
    expect((await put(wish, { 'if-match': '"0"' })).status).to.equal(200);
    for (const stale of ['"0"', 'W/"1"', '"2", "0"']) {
      const { status, body } = await put(defaultSettings, { 'if-match': stale });
      expect([status, body.code], stale).to.deep.equal([412, 'version_mismatch']);
    }
    expect(await readSettings(guild.guildId)).to.deep.equal(wish);
    expect(await entries()).to.have.length(1);
    expect((await put(defaultSettings, { 'if-match': '"7", "1"' })).status).to.equal(200);
    expect((await put(wish, { 'if-match': '*' })).status).to.equal(200);
    const malformed = await put(defaultSettings, { 'if-match': '3' });
    expect(malformed.status).to.equal(400);
    expect(malformed.body.errors[0].path).to.equal('headers.if-match');
    expect(await readVersionedSettings(guild.guildId)).to.deep.equal({
      settings: wish,
      version: 3,
      restrictionsCeiling: null,
    });
  });

  it('Exactly one of several simultaneous PUTs with the same ETag replaces the settings', async () => {
    for (let round = 0; round < 5; round += 1) {
      const etag = (await guild.api.get(path)).headers.get('etag') ?? '';
      const wishes = [10, 20, 30, 40].map((days) => ({
        ...defaultSettings,
        verification: { ...defaultSettings.verification, minimumAccountAgeDays: 100 * round + days },
      }));
      const answers = await Promise.all(wishes.map((wish) => put(wish, { 'if-match': etag })));
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 412, 412, 412]);
      const winner = answers.find(({ status }) => status === 200);
      expect(await readSettings(guild.guildId)).to.deep.equal(winner?.body);
    }
    expect(await entries()).to.have.length(5);
  });

  it('The last of many PUTs without an ETag decides the settings, and each change is in the log', async () => {
    const wishes = Array.from({ length: 8 }, (_, n) => ({
      ...defaultSettings,
      massRemoval: { sharePercent: 50, people: 100 + n },
    }));
    const answers = await Promise.all(wishes.map((wish) => put(wish)));
    expect(answers.map(({ status }) => status)).to.deep.equal(Array(8).fill(200));
    const { settings, version } = await readVersionedSettings(guild.guildId);
    expect(version).to.equal(8);
    const steps = (await entries()).map(({ changes }) => changes?.['massRemoval.people']).toReversed();
    expect(steps[0]?.from).to.equal(20);
    expect(steps.slice(1).map((step) => step?.from)).to.deep.equal(steps.slice(0, -1).map((step) => step?.to));
    expect(steps.at(-1)?.to).to.equal(settings.massRemoval.people);
  });
});

describe('The rules of the settings', () => {
  withGuild();

  it('PUT …/settings names every mistake in one answer, and changes nothing', async () => {
    const { locale: _, ...partial } = defaultSettings;
    const issues = await issuesOf({
      ...partial,
      verification: { enabled: 'yes', methods: ['oauth', 'oauth'], minimumAccountAgeDays: -1, extra: 1 },
      nickname: { enabled: true, template: '  ' },
      resync: { automatic: true, everyHours: 0 },
      logChannelId: 5,
      surprise: true,
    });
    expect(issues.map((issue) => issue.path)).to.have.members([
      ...['verification.enabled', 'verification.methods', 'verification.minimumAccountAgeDays', 'verification.extra'],
      ...['nickname.template', 'resync.everyHours', 'logChannelId', 'locale', 'surprise'],
    ]);
    for (const body of [{}, null, [], 5]) expect((await put(body)).status).to.equal(400);
    expect(await readVersionedSettings(guild.guildId)).to.deep.equal({
      settings: defaultSettings,
      version: 0,
      restrictionsCeiling: null,
    });
  });

  // SET-3
  it('A nickname template accepts only known placeholders and attached groups', async () => {
    const { id } = roblox.addGroup({ name: 'Builders' });
    const nickname = { enabled: true, template: `[{groupRank:${id}}] {groupRole:${id}} {rank} {gameUsername} {}` };
    const issues = await issuesOf({ ...defaultSettings, nickname });
    expect(issues.map((issue) => issue.path)).to.deep.equal(Array(3).fill('nickname.template'));
    expect(issues.map((issue) => issue.message).join('\n'))
      .to.contain('no placeholder {rank}: there are {gameUsername}')
      .and.contain('no placeholder {}')
      .and.contain(`the Roblox group ${id}, which isn't added here`);
    await addGroup(guild.guild, systemActor('test'), id);
    nickname.template = `{groupRank:${id}} {groupRole:${id}} {gameUsername}{gameDisplayName}{chatUsername}`;
    expect((await put({ ...defaultSettings, nickname })).status).to.equal(200);
  });

  // SET-4
  it('PUT …/settings accepts a log channel that the bot can write into, and no other', async () => {
    const { guildId } = guild;
    const { id } = discord.channel(guildId);
    const { guildId: elsewhere } = await buildGuild();
    for (const logChannelId of [discord.channel(elsewhere).id, guildId]) {
      const [issue, ...more] = await issuesOf({ ...defaultSettings, logChannelId });
      expect(issue).to.deep.equal({ path: 'logChannelId', message: 'is not a channel of this server' });
      expect(more).to.deep.equal([]);
    }
    discord.updateRole(guildId, guildId, { permissions: PermissionFlagsBits.ViewChannel });
    discord.updateRole(guildId, discord.botRole(guildId).id, { permissions: 0n });
    await factsWhere(guildId, ({ bot }) => !mayWrite(bot.permissions), 'the loss of permissions');
    const [issue] = await issuesOf({ ...defaultSettings, logChannelId: id });
    expect(issue?.message).to.contain("doesn't have View Channel or Send Messages");
    discord.updateRole(guildId, guildId, { permissions: writing });
    await factsWhere(guildId, ({ bot }) => mayWrite(bot.permissions), 'the permissions');
    expect((await put({ ...defaultSettings, logChannelId: id })).status).to.equal(200);
  });

  // SET-4
  it('PUT …/settings accepts exempt roles of this server only, and greets only in a channel that is open to the bot', async () => {
    const role = discord.addRole(guild.guildId, { name: 'Exempt' }).id;
    await factsWhere(guild.guildId, ({ roles }) => roles.has(role), 'the role');
    const bypass = { keepRoles: [role, guild.guildId], keepNickname: ['100000000000000009'] };
    const { guildId: elsewhere } = await buildGuild();
    const joinMessage = { to: 'channel', channelId: discord.channel(elsewhere).id, text: null };
    const issues = await issuesOf({ ...defaultSettings, bypass, joinMessage });
    expect(issues.map(({ path }) => path)).to.have.members([
      'bypass.keepRoles.1',
      'bypass.keepNickname.0',
      'joinMessage.channelId',
    ]);
    const good = {
      bypass: { keepRoles: [role], keepNickname: [] },
      joinMessage: { ...joinMessage, channelId: discord.channel(guild.guildId).id },
    };
    expect((await put({ ...defaultSettings, ...good })).status).to.equal(200);
  });

  // SET-5
  it('PUT …/settings accepts resyncs no more often than the plan allows', async () => {
    const everyHours = (hours: number | null) =>
      put({ ...defaultSettings, resync: { automatic: true, everyHours: hours } });
    const setPlan = (plan: string) => GuildRecord.updateOne({ _id: guild.guildId }, { $set: { plan } });
    await setPlan('pro');
    const refused = await everyHours(5);
    expect([refused.status, refused.body.code]).to.deep.equal([402, 'plan_limit_reached']);
    expect(refused.body.detail).to.contain('choose 6 or more, or leave it open');
    expect((await everyHours(6)).status).to.equal(200);
    await setPlan('free');
    expect((await everyHours(24)).body.detail).to.contain('no resyncs that run by themselves');
    // A value that was allowed once does not block other changes.
    const other = { ...(await readSettings(guild.guildId)), autoLinkOnJoin: false };
    expect((await put(other)).status).to.equal(200);
    expect((await everyHours(null)).status).to.equal(200);
  });

  // SET-5
  it('PUT …/settings accepts sign-in with Roblox only where it is set up', async () => {
    const methods = (...names: string[]) => ({
      ...defaultSettings,
      verification: { ...defaultSettings.verification, methods: names },
    });
    const { oauth: _, ...withoutOAuth } = config().roblox;
    configureRoblox(withoutOAuth);
    expect((await issuesOf(methods('oauth')))[0]?.message).to.contain('would leave no way to verify');
    expect((await put(methods('profile_code'))).status).to.equal(200);
    expect((await issuesOf(methods('profile_code', 'oauth')))[0]?.message).to.contain("isn't set up here");
    configureRoblox(config().roblox);
    expect((await put(methods('oauth'))).status).to.equal(200);
  });

  it('Settings can be changed while another of them has become impossible', async () => {
    await writeSettings(guild.guildId, { ...defaultSettings, logChannelId: '100000000000000009' });
    const answer = await put({ ...defaultSettings, logChannelId: '100000000000000009', autoLinkOnJoin: false });
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
  });
});
