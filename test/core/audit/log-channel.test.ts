import { setTimeout as delay } from 'node:timers/promises';
import { container } from '@sapphire/framework';
import { expect } from 'chai';
import { PermissionFlagsBits } from 'discord.js';
import sinon from 'sinon';
import { chatUser, systemActor } from '../../../src/core/actors/actor.js';
import { type Changes, enterLog, keepEntries, newEntry, recordAudit } from '../../../src/core/audit/audit-service.js';
import { defaultSettings, type GuildSettings } from '../../../src/core/settings/guild-settings.js';
import { writeSettings } from '../../../src/core/settings/settings-service.js';
import { gathering } from '../../../src/features/log-channel/log-channel.js';
import { logger } from '../../../src/lib/logger.js';
import { mayWrite } from '../../../src/platforms/discord/permissions.js';
import { buildGuild, buildMember, eventually, type TestGuild } from '../../support/build.js';
import { factsWhere } from '../../support/events.js';
import { type World, world } from '../../support/world.js';

const writing = PermissionFlagsBits.ViewChannel | PermissionFlagsBits.SendMessages;
const ann = chatUser('100000000000000777', 'Ann');

let discord: World['discord'];
let guild: TestGuild;
let channelId: string;

/** Gives each test a guild with a channel, and gathers posts for a short time only. */
function withChannel(): void {
  before(async () => {
    ({ discord } = await world());
  });
  beforeEach(async () => {
    sinon.replace(gathering, 'forMs', 250);
    guild = await buildGuild();
    channelId = discord.channel(guild.guildId).id;
  });
  afterEach(() => sinon.restore());
}

const set = (change: Partial<GuildSettings> = {}) =>
  writeSettings(guild.guildId, { ...defaultSettings, logChannelId: channelId, ...change });
const posts = () => discord.messages(channelId);

const firstPost = () => eventually(() => posts()[0], 'a post');

const removal = (name: string) => ({
  guildId: guild.guildId,
  actor: ann,
  action: 'group.removed' as const,
  target: { kind: 'group', id: '1', name },
});

const removed = (name: string) => recordAudit(removal(name));

const health = async () => {
  const { body } = await guild.api.get(guild.path);
  return body.health.filter(({ code }: { code: string }) => code === 'log_channel_unwritable');
};

const mayBotWrite = async (may: boolean) => {
  const { guildId } = guild;
  discord.updateRole(guildId, guildId, { permissions: may ? writing : 0n });
  discord.updateRole(guildId, discord.botRole(guildId).id, { permissions: PermissionFlagsBits.ManageRoles });
  await factsWhere(guildId, ({ bot }) => mayWrite(bot.permissions) === may, 'the permissions');
};

/** Posts an entry, and collects the later ones until the returned function is called. */
const gatherAll = async () => {
  const { reached, letGo } = discord.hold({ match: new RegExp(`^POST .*/channels/${channelId}/messages$`) });
  await removed('Before');
  await reached;
  return letGo;
};

const secondPost = () => eventually(() => posts()[1], 'the second post');

// DISC-40, DISC-42
describe('Posts in the log channel', () => {
  withChannel();

  it('The log channel gets entries one by one where Discord refuses them together, and misses only the one refused', async () => {
    await set();
    const letGo = await gatherAll();
    for (const name of ['First', 'Second', 'Third']) await removed(name);
    // The message for all three, and the first's.
    discord.inject({
      match: new RegExp(`^POST .*/channels/${channelId}/messages$`),
      status: 400,
      code: 50_035,
      times: 2,
    });
    letGo();
    await eventually(() => posts().length === 3, 'the posts');
    expect(posts().map(({ content }) => /Before|First|Second|Third/.exec(content)?.[0])).to.deep.equal([
      'Before',
      'Second',
      'Third',
    ]);
  });

  it('The log channel names actor and action, puts several entries into one message, and pings no one', async () => {
    await set();
    const letGo = await gatherAll();
    const sent = sinon.spy(container.client.rest, 'post');
    const { status } = await guild.api.put(`${guild.path}/settings`, {
      ...defaultSettings,
      logChannelId: channelId,
      nickname: { enabled: true, template: '{gameDisplayName}' },
    });
    expect(status).to.equal(200);
    const person = await buildMember(guild);
    await removed('*Builders* <@1>\n[x](https://x.example)');
    letGo();
    const message = await secondPost();
    expect(posts()).to.have.length(2);
    expect(message.content.split('\n')).to.deep.equal([
      'The token **test owner** changed the settings: Nicknames (Template): {gameUsername} → {gameDisplayName}',
      `<@${person.chatUserId}> linked the Roblox account [${person.gameUserId}](<https://www.roblox.com/users/${person.gameUserId}/profile>).`,
      `<@${person.chatUserId}> is now called ${person.gameUsername}`,
      '<@100000000000000777> removed the Roblox group **\\*Builders\\* \\<\\@1\\> \\[x\\](https\\://x.example)**.',
    ]);
    expect(sent.lastCall.args[1]?.body).to.deep.include({ allowed_mentions: { parse: [] } });
  });

  // RANKING-4, RANKING-18
  it('The log channel tells of changed ranks, and of changed rules for them', async () => {
    await set();
    const letGo = await gatherAll();
    const rules = { teamRole: { from: 'admin', to: 'manager' }, perHour: { from: 30, to: 5 } };
    const group = { kind: 'group', id: '7', name: 'Rangers' };
    const { guildId } = guild;
    await recordAudit({ guildId, actor: ann, action: 'group.ranking_changed', target: group, changes: rules });
    const changes = { group: { from: null, to: 'Rangers' }, gameRole: { from: 'Recruit (5)', to: 'Private (6)' } };
    const member = { kind: 'member', id: '100000000000000778', name: 'Bo' };
    const account = { kind: 'game_user', id: '15', name: 'Bo_*2' };
    for (const target of [member, account])
      await recordAudit({ guildId, actor: ann, action: 'member.ranked', target, changes });
    letGo();
    const rank = 'Group: Rangers; Rank: Recruit (5) → Private (6)';
    expect((await secondPost()).content.split('\n')).to.deep.equal([
      '<@100000000000000777> changed who may rank in the Roblox group **Rangers**: Least team role: admin → manager; Changes per hour: 30 → 5',
      `🎖️ <@100000000000000777> changed the rank of <@100000000000000778> on Roblox: ${rank}`,
      String.raw`🎖️ <@100000000000000777> changed the rank of **Bo\_\*2** on Roblox: ${rank}`,
    ]);
  });

  // DISC-41
  it('The log channel shows the entries of a killed process once, whichever process relays them', async () => {
    await set();
    const [left, kept, told] = ['Left', 'Kept', 'Told'].map((name) => newEntry(removal(name)));
    if (!left || !kept || !told) throw new Error('Three entries were made.');
    await keepEntries([left]);
    await enterLog(left, told);
    await keepEntries([left, told, kept]);
    const { content } = await firstPost();
    const names = content.split('\n').map((line) => /group \*\*(.*)\*\*/.exec(line)?.[1]);
    expect(names).to.deep.equal(['Left', 'Told', 'Kept']);
    await delay(2 * gathering.forMs);
    expect(posts()).to.have.length(1);
  });

  it('The log channel counts the remaining entries of a bulk run, in one message that Discord accepts', async () => {
    await set();
    const letGo = await gatherAll();
    const synced = { actor: systemActor('resync'), action: 'member.synced' as const };
    const changes = { roles: { from: [], to: ['100000000000000123'] } };
    await Promise.all(
      Array.from({ length: 170 }, (_, n) => {
        const target = { kind: 'member', id: String(100_000_000_000_000_000n + BigInt(n)) };
        return recordAudit({ guildId: guild.guildId, ...synced, target, changes });
      }),
    );
    letGo();
    const { content } = await secondPost();
    const lines = content.split('\n');
    expect(content.length).to.be.within(1_500, 2_000);
    expect(lines[0]).to.match(/^<@100000000000000\d{3}> got <@&100000000000000123>$/);
    expect(lines.at(-1)).to.equal(`… and ${170 - (lines.length - 1)} more`);
  });

  // DISC-16
  it('The log channel is in the language of the guild', async () => {
    await set({ locale: 'de' });
    await removed('Builders');
    expect((await firstPost()).content).to.equal('<@100000000000000777> hat die Roblox-Gruppe **Builders** entfernt.');
  });

  it('The log channel names the obstacle of a role in the language of the guild, and the remedy', async () => {
    await set({ locale: 'de' });
    const botRoleName = { from: null, to: 'Rolelink' };
    const blocked = async (name: string, changes: Changes) => {
      const target = { kind: 'role', id: guild.guildId, name };
      const { actor, action } = { actor: systemActor('mapped-roles'), action: 'role.blocked' as const };
      await recordAudit({ guildId: guild.guildId, actor, action, target, changes });
    };
    const detail = { from: null, to: 'The words of an old entry.' };
    await blocked('Chef', { obstacle: { from: null, to: 'role_above_bot' }, botRoleName, detail });
    const permissions = { from: null, to: ['ManageMessages'] };
    await blocked('Rat', { obstacle: { from: null, to: 'became_dangerous' }, permissions, detail });
    await blocked('Alt', { obstacle: { from: null, to: 'role_above_bot' }, detail });
    const [above, dangerous, old] = (await firstPost()).content.split('\n');
    expect(above).to.contain('Die Rolle Chef').and.to.contain('Rolelink');
    expect(dangerous).to.contain('Die Rolle Rat').and.to.contain('Nachrichten verwalten');
    expect(old).to.contain('The words of an old entry');
  });

  it('The log channel gets no routine verifications, and a guild without one gets no posts', async () => {
    await set();
    await recordAudit({
      guildId: guild.guildId,
      actor: ann,
      action: 'verification.completed',
      target: { kind: 'member', id: ann.id },
    });
    const other = await buildGuild();
    const target = { kind: 'group', id: '1', name: 'Elsewhere' };
    await recordAudit({ guildId: other.guildId, actor: ann, action: 'group.removed', target });
    await delay(3 * gathering.forMs);
    expect([posts(), discord.messages(discord.channel(other.guildId).id)]).to.deep.equal([[], []]);
  });
});

describe('Failures of the log channel', () => {
  withChannel();

  it('A log channel without write access shows in the health, is left alone, and gets posts again once it is writable', async () => {
    await set();
    expect(await health()).to.deep.equal([]);
    await mayBotWrite(false);
    expect((await health())[0].detail).to.contain('Grant it View Channel and Send Messages');
    const warned = sinon.stub(logger, 'warn');
    const before = discord.requests.length;
    await removed('Unheard');
    await delay(3 * gathering.forMs);
    const asked = discord.requests.slice(before);
    expect(asked.filter(({ path }) => path.includes(channelId))).to.deep.equal([]);
    expect(warned.called).to.equal(false);
    await mayBotWrite(true);
    expect(await health()).to.deep.equal([]);
    await removed('Heard');
    expect((await firstPost()).content)
      .to.contain('Heard')
      .and.not.contain('Unheard');
  });

  it('A log channel that is gone shows in the health', async () => {
    await set({ logChannelId: '100000000000000009' });
    expect((await health())[0]).to.deep.equal({
      code: 'log_channel_unwritable',
      severity: 'warning',
      detail: 'The log channel no longer exists. Choose another one in the settings.',
      channelId: '100000000000000009',
      reason: 'channel_missing',
    });
  });

  it('The log channel never fails or delays the logged action, whatever Discord answers', async () => {
    await set();
    const recover = discord.inject({ match: /^POST .*\/channels\/\d+\/messages/, status: 500 });
    const warned = sinon.stub(logger, 'warn');
    gathering.forMs = 2_000;
    await removed('Lost');
    expect(warned.called).to.equal(false);
    await eventually(() => warned.called, 'the warning');
    recover();
    await removed('Found');
    expect((await firstPost()).content).to.contain('Found');
  });
});
