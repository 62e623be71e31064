import { expect } from 'chai';
import { auditActions } from '../../src/core/audit/audit-actions.js';
import { componentId } from '../../src/edges/interactions/component-id.js';
import { encodeCursor } from '../../src/lib/cursor.js';
import { emptyLog, insertEntry } from '../core/audit/entries-setup.js';
import type { SandboxMessage } from '../sandbox/discord/sandbox-message.js';
import { buildGuild, buildMember, type TestGuild } from '../support/build.js';
import { type World, world } from '../support/world.js';
import { labelsOf, privateAnswer, privateWords } from './private-answer.js';
import { buildDiscordManager, distrustDiscordAdmins, giveTeamRole } from './team.js';

describe('/logs', () => {
  let discord: World['discord'];
  let guild: TestGuild;

  beforeEach(async () => {
    ({ discord } = await world());
    guild = await buildGuild();
    await emptyLog(guild.guildId);
  });

  const logs = (options: Record<string, string> = {}, chatUserId = guild.ownerId) =>
    discord.command(guild.guildId, chatUserId, 'logs', options);
  const linesOf = (message: SandboxMessage) => message.embeds[0]?.description?.split('\n') ?? [];

  it('/logs shows actor, change and time, newest first', async () => {
    expect(await privateWords(logs())).to.contain('No matching log entries');
    const at = new Date(Date.now() - 60_000);
    const actor = { kind: 'user' as const, id: guild.ownerId, name: 'Ann' };
    const target = { kind: 'mapping', id: 'map_1', name: 'All *officers*' };
    await insertEntry(guild.guildId, { at, actor, action: 'mapping.removed', target });
    await insertEntry(guild.guildId, { actor, action: 'panel.posted', target: { kind: 'channel', id: '5' } });
    const [newer = '', older = '', ...others] = linesOf(await privateAnswer(logs()));
    expect(older).to.equal(
      `<t:${Math.floor(at.getTime() / 1000)}:R> <@${guild.ownerId}> removed the mapping **All \\*officers\\***.`,
    );
    expect(newer).to.match(new RegExp(`^<t:\\d+:R> <@${guild.ownerId}> posted the panel\\.$`));
    expect(others).to.deep.equal([]);
  });

  it('/logs filters by action, by kind of action, by actor and by target', async () => {
    const person = await buildMember(guild, { linked: false });
    await emptyLog(guild.guildId);
    const target = { kind: 'member', id: person.chatUserId, name: person.username };
    await insertEntry(guild.guildId, { action: 'mapping.created' });
    await insertEntry(guild.guildId, { action: 'member.unlinked', target });
    const actor = { kind: 'user' as const, id: person.chatUserId, name: person.username };
    await insertEntry(guild.guildId, { action: 'mapping.removed', actor });
    const count = async (options: Record<string, string>) => linesOf(await privateAnswer(logs(options))).length;
    expect(await count({ action: 'mapping.*' })).to.equal(2);
    expect(await count({ action: 'mapping.removed' })).to.equal(1);
    expect(await count({ member: person.chatUserId })).to.equal(2);
    expect(await count({ member: person.chatUserId, action: 'member.*' })).to.equal(1);
    const words = await privateWords(logs({ action: 'explosions' }));
    expect(words).to.equal("Please correct this:\n- action: isn't a kind of change: choose a suggested one");
  });

  it('/logs suggests each kind of change in the language of the person, then its single actions', async () => {
    const reader = await buildDiscordManager(guild);
    await giveTeamRole(guild, reader.chatUserId, 'viewer');
    const suggest = (value: string) =>
      discord.autocomplete(guild.guildId, reader.chatUserId, 'logs', { name: 'action', value });
    const kinds = [
      { name: 'Mappings', value: 'mapping.*' },
      { name: 'Mapping imports', value: 'mappings.*' },
    ];
    expect((await suggest('')).slice(0, 2)).to.deep.equal(kinds);
    const created = { name: 'Mappings: mapping.created', value: 'mapping.created' };
    expect(await suggest('mapping.created')).to.deep.equal([created]);
    discord.setClientLocale(reader.chatUserId, 'de');
    expect((await suggest('zuordnungen')).slice(0, 1)).to.deep.equal([{ name: 'Zuordnungen', value: 'mapping.*' }]);
  });

  it('/logs pages in place, with the same filters', async () => {
    const at = Date.now();
    for (let index = 1; index <= 23; index += 1) {
      const name = `Mapping ${index}`;
      const target = { kind: 'mapping', id: `map_${index}`, name };
      await insertEntry(guild.guildId, { at: new Date(at - index), action: 'mapping.created', target });
      await insertEntry(guild.guildId, { at: new Date(at - index), action: 'group.added' });
    }
    const first = await privateAnswer(logs({ action: 'mapping.*' }));
    expect(labelsOf(first)).to.deep.equal(['Next page']);
    await insertEntry(guild.guildId, { action: 'mapping.created' });
    const second = await privateAnswer(discord.press(guild.guildId, guild.ownerId, first, 'Next page'));
    const third = await privateAnswer(discord.press(guild.guildId, guild.ownerId, second, 'Next page'));
    expect(third.id).to.equal(first.id);
    expect(third.buttons).to.deep.equal([]);
    const numbers = [first, second, third].flatMap(linesOf).map((line) => Number(/Mapping (\d+)/.exec(line)?.[1]));
    expect(numbers).to.deep.equal(Array.from({ length: 23 }, (_, index) => index + 1));
  });

  it('The page button of /logs has room for the longest filters', () => {
    const longest = Object.keys(auditActions).reduce((a, b) => (a.length >= b.length ? a : b));
    const cursor = encodeCursor(['f'.repeat(24), 999]);
    expect(componentId('logs', longest, '9'.repeat(20), cursor)).to.have.length.at.most(100);
  });

  // DISC-2
  it('/logs serves the team, and Discord shows it only to members with Manage Server', async () => {
    const person = await buildMember(guild, { linked: false });
    const asked = await logs({}, person.chatUserId).catch((error) => error);
    expect(asked).to.be.instanceOf(Error).with.property('message').that.contains('not shown');
    const manager = await buildDiscordManager(guild);
    await distrustDiscordAdmins(guild);
    expect(await privateWords(logs({}, manager.chatUserId))).to.contain('need the team role viewer');
    await giveTeamRole(guild, manager.chatUserId, 'viewer');
    expect(await privateWords(logs({}, manager.chatUserId))).not.to.contain('team role');
  });
});
