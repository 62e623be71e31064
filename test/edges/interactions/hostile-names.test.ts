import { readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import sinon from 'sinon';
import { chatUser } from '../../../src/core/actors/actor.js';
import { recordAudit } from '../../../src/core/audit/audit-service.js';
import { GuildRecord } from '../../../src/core/guilds/guild-model.js';
import { defaultSettings } from '../../../src/core/settings/guild-settings.js';
import { readConfig } from '../../../src/features/configuration/config-service.js';
import { gathering } from '../../../src/features/log-channel/log-channel.js';
import { Mappings } from '../../../src/features/mappings/mapping-model.js';
import { changeSetup } from '../../../src/features/setup/setup-service.js';
import { phraseIn, privateAnswer } from '../../commands/private-answer.js';
import { buildRankingGuild } from '../../features/ranking/ranking-setup.js';
import {
  addRole,
  buildGroupGuild,
  type GroupGuild,
  mapTo,
  rankFrom,
  setSettings,
} from '../../features/sync/sync-setup.js';
import type { SandboxInteraction } from '../../sandbox/discord/sandbox-interaction.js';
import { wordsOf } from '../../sandbox/discord/sandbox-message.js';
import { asPerson } from '../../support/api.js';
import { buildMember, eventually, type TestPerson } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import { bait, expectHarmless, expectNothingHidden, harmlessWords } from './bait.js';

type Options = Record<string, string | number | boolean>;

// DISC-3, DISC-4
describe('Names that people chose', () => {
  let discord: World['discord'];
  let roblox: World['roblox'];
  let guild: GroupGuild;
  let person: TestPerson;
  let mappingId: string;
  let boss: string;
  let serial = 0;
  const asked = new Set<string>();

  before(async () => {
    ({ discord, roblox } = await world());
    sinon.replace(gathering, 'forMs', 200);
    guild = await buildGroupGuild();
    const hostile = roblox.addGroup({
      name: bait,
      roles: ['Guest', bait, 'Owner'].map((name, n) => ({ name, rank: n * 50 })),
    });
    await guild.api.post(`${guild.path}/groups`, { groupId: hostile.id });
    guild = { ...guild, groupId: hostile.id };
    const groupId = hostile.id;
    await mapTo(guild, { type: 'group_role', groupId, gameRoleId: hostile.roles[1]?.id ?? '' });
    const roleIds = [await addRole(guild, { name: bait })];
    await mapTo(guild, { type: 'all', of: [{ type: 'verified' }, rankFrom(guild, 1)] }, { roleIds });
    const [mapping] = await Mappings.find({ guildId: guild.guildId });
    mappingId = mapping?._id ?? '';
    await Mappings.update({ guildId: guild.guildId, _id: mappingId }, { $set: { name: bait } });
    boss = await addRole(guild, { name: bait, position: 90 });
    const nickname = { enabled: true, template: `{gameDisplayName} ${bait}`.slice(0, 100) };
    const logChannelId = discord.channel(guild.guildId).id;
    await setSettings(guild, { nickname, logChannelId, verification: { ...defaultSettings.verification } });
    person = await hostileMember(false);
    roblox.setRank(groupId, person.gameUserId, 50);
  });
  after(() => sinon.restore());

  async function hostileMember(linked: boolean): Promise<TestPerson> {
    serial += 1;
    const [username, gameUsername] = [`${serial}${bait}`, `${serial}${bait}`];
    const user = discord.addUser({ username });
    const game = roblox.addUser({ username: gameUsername, displayName: `${bait} too` });
    const them = { chatUserId: user.id, username, gameUserId: game.id, gameUsername };
    return buildMember(guild, { person: them, linked });
  }

  const shown = async (interaction: SandboxInteraction | Promise<SandboxInteraction>) =>
    harmlessWords(await privateAnswer(interaction));
  const ask = (name: string, options: Options = {}, chatUserId = guild.ownerId) => {
    asked.add(name.split(' ')[0] ?? '');
    return discord.command(guild.guildId, chatUserId, name, options);
  };
  const press = (message: { id: string; channelId: string }, label: string) =>
    discord.press(guild.guildId, person.chatUserId, message, label);

  it('Hostile names do no harm when people verify, ask and unlink', async () => {
    const choice = await privateAnswer(ask('verify', {}, person.chatUserId));
    const form = await press(choice, 'Use a profile code');
    const phrase = await privateAnswer(discord.submit(form, { username: bait.slice(0, 21) }));
    expect(harmlessWords(phrase)).to.contain('Zork');
    const failed = await privateAnswer(press(phrase, "I've added it"));
    harmlessWords(failed);
    const again = await privateAnswer(discord.submit(await press(failed, 'Another username'), { username: 'Plain' }));
    const game = roblox.addUser({ username: 'Plain', displayName: bait });
    roblox.setRank(guild.groupId, game.id, 50);
    roblox.setAbout(game.id, phraseIn({ words: wordsOf(again) }));
    expect(await shown(press(again, "I've added it")))
      .to.contain('Zork')
      .and.contain('Nickname');
    const linked = await hostileMember(true);
    expect(await shown(ask('account', { member: linked.chatUserId }, person.chatUserId))).to.contain('Zork');
    expect(await shown(ask('why', { member: linked.chatUserId }))).to.contain('Zork');
    const menu = discord.contextMenu(guild.guildId, guild.ownerId, 'Roblox account', linked.chatUserId);
    expect(await shown(menu)).to.contain('Zork');
    expect(await shown(ask('verify', {}, linked.chatUserId))).to.contain('Zork');
    harmlessWords(await privateAnswer(ask('rank show', { member: linked.chatUserId })));
    expect(await shown(ask('unlink', {}, linked.chatUserId))).to.contain('Zork');
    expect(await shown(ask('privacy', {}, linked.chatUserId))).to.contain('Zork');
  });

  it('Hostile names do no harm in the list of blocked roles and in the preview', async () => {
    await hostileMember(true);
    const linked = await hostileMember(true);
    roblox.setRank(guild.groupId, linked.gameUserId, 50);
    await eventually(() => discord.member(guild.guildId, linked.chatUserId), 'the member');
    discord.moveRole(guild.guildId, discord.botRole(guild.guildId).id, 1);
    const words = await eventually(async () => {
      const said = await shown(ask('update', { member: linked.chatUserId }));
      return said.includes('⚠️') ? said : null;
    }, 'the obstacle');
    expect(words).to.contain('Zork');
    const preview = await shown(ask('preview'));
    expect(preview).to.contain('Zork').and.contain("isn't below");
    expect(await shown(ask('mapping verified', { role: boss }))).to.contain('Zork');
    discord.moveRole(guild.guildId, discord.botRole(guild.guildId).id, 50);
  });

  it('Hostile names do no harm in the lists and answers of the team', async () => {
    for (const name of ['mapping list', 'group list', 'settings view']) {
      expect(await shown(ask(name)), name).to.contain('Zork');
    }
    const { groupId } = guild;
    const { config } = await readConfig(guild.guild);
    const bare = discord.upload('bare.yaml', JSON.stringify({ ...config, mappings: [] }));
    expect(await shown(ask('config apply', { file: bare }))).to.contain('Zork');
    const added = {
      role: await addRole(guild),
      group: groupId,
      name: '[x](https://evil.io)Zork`',
    };
    expect(await shown(ask('mapping member', added))).to.contain('Zork');
    for (const [name, options] of [
      ['mapping role', { role: boss, group: bait, game_role: bait }],
      ['mapping remove', { mapping: bait }],
      ['group add', { group: bait }],
      ['group remove', { group: bait }],
      ['settings set', { nickname_template: '{Zork} ` [x](https://evil.io) @everyone' }],
      ['mapping rank', { role: boss, from: bait }],
      ['mapping edit', { mapping: bait, name: 'x' }],
      ['config export', {}],
      ['team list', {}],
      ['config apply', { file: discord.upload('a.yaml', bait) }],
      ['team remove', { person: guild.ownerId }],
      ['logs', { action: bait }],
      ['help', {}],
      ['panel', {}],
      ['resync start', {}],
      ['resync status', {}],
      ['resync cancel', {}],
    ] as const) {
      await shown(ask(name, options));
    }
    for (const [name, focused] of [
      ['mapping role', 'group'],
      ['mapping role', 'game_role'],
      ['mapping remove', 'mapping'],
      ['settings set', 'nickname_template'],
    ] as const) {
      const options = focused === 'game_role' ? { group: groupId } : {};
      const found = await discord.autocomplete(
        guild.guildId,
        guild.ownerId,
        name,
        { name: focused, value: '' },
        options,
      );
      expect(JSON.stringify(found), name).to.contain('Zork');
      for (const choice of found) expectNothingHidden(choice.name.replaceAll('\n', '\u200b'));
    }
  });

  it('Hostile names do no harm in the steps of /setup and in an import', async () => {
    const { guildId, ownerId, groupId } = guild;
    const go = async (message: { id: string; channelId: string }, action: string) => {
      const shown = await privateAnswer(discord.press(guildId, ownerId, message, `setup:${action}`));
      harmlessWords(shown);
      return shown;
    };
    await privateAnswer(ask('setup'));
    await changeSetup(guildId, { step: 'group', verifiedRoleId: boss, panel: { title: bait.slice(0, 100) } });
    const group = await privateAnswer(ask('setup'));
    const ranks = await privateAnswer(discord.select(guildId, ownerId, group, 'setup:group', [groupId]));
    expect(harmlessWords(ranks)).to.contain('Zork');
    const verified = await go(ranks, 'verified');
    expect(verified.words).to.contain('Zork');
    const panel = await go(verified, 'panel');
    expect(panel.words).to.contain('Zork');
    await go(panel, 'summary');
    const text = `condition,group,roles\ngroup_member,${groupId},${bait.replaceAll(/[\n",;]/g, '')}`;
    const review = await privateAnswer(discord.submit(await ask('import'), { format: 'csv', text }));
    expect(harmlessWords(review)).to.contain('Zork');
  });

  it('Hostile names do no harm in the log, its channel, and direct messages', async () => {
    const { guildId } = guild;
    const target = { kind: 'role', id: boss, name: bait };
    const actor = { ...chatUser('erased_0badc0de', bait), kind: 'user' as const };
    const changes = { name: { from: bait, to: `${bait}${bait}` }, detail: { from: null, to: bait } };
    await recordAudit({ guildId, actor, action: 'mapping.updated', target: { ...target, kind: 'mapping' }, changes });
    await recordAudit({ guildId, actor, action: 'role.blocked', target, changes });
    await recordAudit({ guildId, actor, action: 'webhook.tested', target: { ...target, kind: 'webhook' } });
    expect(await shown(ask('logs'))).to.contain('Zork');
    await shown(ask('differences'));
    await delay(3 * gathering.forMs);
    const posts = await eventually(() => {
      const all = discord.messages(discord.channel(guildId).id);
      return all.some(({ content }) => content.includes('Zork')) ? all : null;
    }, 'a post');
    for (const post of posts) harmlessWords(post);
    await GuildRecord.updateOne({ _id: guildId }, { $set: { name: bait } });
    const owner = await asPerson({ chatUserId: guild.ownerId, username: bait });
    const invited = await buildMember(guild, { linked: false });
    await owner.post(`${guild.path}/team/invite`, { chatUserId: invited.chatUserId, role: 'viewer' });
    const [message] = await eventually(() => {
      const all = discord.directMessages(invited.chatUserId);
      return all.length > 0 ? all : null;
    }, 'the invitation');
    expect(expectHarmless(message?.content ?? '')).to.equal(true);
  });

  it('Hostile names do no harm in the requests to join a group', async () => {
    const ranking = await buildRankingGuild();
    const { id } = roblox.addUser({ username: `9${bait}`, displayName: bait });
    roblox.requestToJoin(ranking.groupId, id);
    asked.add('requests');
    expect(await shown(discord.command(ranking.guildId, ranking.ownerId, 'requests list'))).to.contain('Zork');
  });

  it('Hostile names do no harm when the guild is suspended, and every command was asked', async () => {
    const suspension = { reason: bait, at: new Date(), by: '1' };
    await GuildRecord.updateOne({ _id: guild.guildId }, { $set: { state: 'suspended', suspension } });
    expect(await shown(ask('account'))).to.contain('Zork');
    const commands = readdirSync(new URL('../../../commands/', import.meta.url)).filter((file) => file.endsWith('.js'));
    expect([...asked].toSorted()).to.deep.equal(commands.map((file) => file.replace('.js', '')).toSorted());
  });
});
