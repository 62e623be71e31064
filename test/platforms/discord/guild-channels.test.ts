import { container } from '@sapphire/framework';
import { expect } from 'chai';
import { PermissionFlagsBits } from 'discord.js';
import { channelObstacle, type Overwrite, permissionsIn } from '../../../src/platforms/discord/guild-channels.js';
import { mayWrite } from '../../../src/platforms/discord/permissions.js';
import { buildGuild, eventually, type TestGuild } from '../../support/build.js';
import { world } from '../../support/world.js';

const { ViewChannel, SendMessages, Administrator, ManageRoles } = PermissionFlagsBits;
const both = ViewChannel | SendMessages;
const botId = '100000000000000005';
const [guildId, own, other] = ['100000000000000001', '100000000000000002', '100000000000000003'] as const;

const allow = (id: string, bits: bigint): Overwrite => ({ id, ofPerson: id === botId, allow: bits, deny: 0n });
const deny = (id: string, bits: bigint): Overwrite => ({ id, ofPerson: id === botId, allow: 0n, deny: bits });

describe('The bot’s permissions in a channel', () => {
  const bot = (permissions: bigint) => {
    const highestRole = { roleId: own, name: 'Bot', position: 1, managed: true, permissions };
    const roleIds: string[] = [own];
    return { guildId, ownerId: '9', roles: new Map(), bot: { roleIds, permissions, highestRole } };
  };
  const rights: [string, bigint, Overwrite[], boolean][] = [
    ['are those of the guild where the channel says nothing', both, [], true],
    ['are missing where the guild does not give them', ViewChannel, [], false],
    ['are denied to everybody', both, [deny(guildId, SendMessages)], false],
    ['are denied to everybody, and allowed to a role', both, [allow(own, both), deny(guildId, both)], true],
    ['are denied to a role of others', both, [deny(other, both)], true],
    ['are denied to a role, and allowed to the bot', both, [allow(botId, both), deny(own, both)], true],
    ['are allowed to a role, and denied to the bot', 0n, [deny(botId, ViewChannel), allow(own, both)], false],
    ['are all those of an administrator', Administrator, [deny(guildId, both), deny(botId, both)], true],
    ['are allowed here alone', ManageRoles, [allow(own, both)], true],
  ];
  for (const [rule, permissions, overwrites, may] of rights) {
    it(`The bot’s permissions in a channel ${rule}`, () =>
      expect(mayWrite(permissionsIn(bot(permissions), botId, overwrites))).to.equal(may));
  }

  it('A channel is open to the bot when one of its roles allows it and another denies it, as in Discord', () => {
    const facts = bot(both);
    facts.bot.roleIds.push(other);
    expect(permissionsIn(facts, botId, [allow(own, both), deny(other, both)])).to.equal(both);
  });
});

describe('Obstacles of a channel', () => {
  let guild: TestGuild;
  let channelId: string;
  let elsewhere: string;

  beforeEach(async () => {
    const { discord } = await world();
    guild = await buildGuild();
    channelId = discord.channel(guild.guildId).id;
    elsewhere = discord.channel((await buildGuild()).guildId).id;
  });

  for (const cached of [true, false]) {
    it(`Obstacles of a channel are found ${cached ? 'in the cache' : 'over REST'}`, async () => {
      const { discord } = await world();
      if (!cached) container.client.guilds.cache.delete(guild.guildId);
      const obstacle = (id: string) => channelObstacle(guild.guildId, id);
      expect(await obstacle(channelId)).to.equal(null);
      expect(await obstacle(elsewhere)).to.equal('channel_missing');
      expect(await obstacle(guild.guildId)).to.equal('channel_missing');
      discord.updateRole(guild.guildId, guild.guildId, { permissions: 0n });
      discord.updateRole(guild.guildId, discord.botRole(guild.guildId).id, { permissions: ManageRoles });
      await eventually(async () => (await obstacle(channelId)) === 'channel_forbidden', 'the obstacle');
    });
  }
});
