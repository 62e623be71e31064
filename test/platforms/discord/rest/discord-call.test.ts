import { expect } from 'chai';
import { DiscordAPIError, RESTJSONErrorCodes, Routes } from 'discord.js';
import { z } from 'zod';
import { ChatPlatformUnavailable, ChatPlatformUnreadable } from '../../../../src/lib/errors.js';
import { readMember } from '../../../../src/platforms/discord/guild-members.js';
import { editMemberInTurn, giveRole, takeRole } from '../../../../src/platforms/discord/member-writes.js';
import {
  DiscordForbids,
  GoneFromDiscord,
  readDiscord,
  readDiscordOrNull,
} from '../../../../src/platforms/discord/rest/discord-call.js';
import { buildGuild, buildMember, buildPerson, type TestGuild } from '../../../support/build.js';
import { type World, world } from '../../../support/world.js';

describe('Calls to Discord', () => {
  let discord: World['discord'];
  let guild: TestGuild;

  before(async () => {
    ({ discord } = await world());
    guild = await buildGuild();
  });
  afterEach(() => discord.clearFaults());

  const anyGuild = z.object({ id: z.string() });
  const readGuild = () => readDiscord(anyGuild, (rest) => rest.get(Routes.guild(guild.guildId)));
  const thrownBy = (call: Promise<unknown>): Promise<unknown> =>
    call.then(
      () => 'nothing',
      (error: unknown) => error,
    );

  it('A call returns Discord’s answer', async () => {
    expect(await readGuild()).to.include({ id: guild.guildId });
  });

  for (const [failure, fault, kind, code] of [
    ['403', { status: 403 }, DiscordForbids, 'missing_permission'],
    ['404 with a code', { status: 404, code: 10_004 }, GoneFromDiscord, 'gone_from_discord'],
    ['404 of somebody else', { status: 404 }, ChatPlatformUnreadable, 'chat_platform_unavailable'],
    ['500', { status: 500 }, ChatPlatformUnavailable, 'chat_platform_unavailable'],
    ['503', { status: 503 }, ChatPlatformUnavailable, 'chat_platform_unavailable'],
    ['a dropped connection', { dropSocket: true }, ChatPlatformUnavailable, 'chat_platform_unavailable'],
  ] as const) {
    it(`A call turns ${failure} into ${kind.name}, with the cause`, async () => {
      discord.inject({ match: /^GET .*\/guilds\/\d+$/, ...fault });
      const error = await thrownBy(readGuild());
      expect(error).to.be.instanceOf(kind).and.to.include({ code });
      expect(error).to.have.property('cause').that.is.instanceOf(Error);
    });
  }

  it('A call leaves Discord’s refusal of the request itself as it is: that is a fault of ours', async () => {
    discord.inject({ match: /^GET .*\/guilds\/\d+$/, status: 400 });
    expect(await thrownBy(readGuild()))
      .to.be.instanceOf(DiscordAPIError)
      .and.to.include({ status: 400 });
  });

  it('A call to Discord is repeated when the failure passes immediately', async () => {
    discord.inject({ match: /^GET .*\/guilds\/\d+$/, status: 502, times: 1 });
    expect(await readGuild()).to.include({ id: guild.guildId });
  });

  it('readDiscordOrNull returns null only when Discord reports that the thing does not exist', async () => {
    const { UnknownGuild } = RESTJSONErrorCodes;
    const read = () => readDiscordOrNull(anyGuild, UnknownGuild, (rest) => rest.get(Routes.guild(guild.guildId)));
    const guildFault = { match: /^GET .*\/guilds\/\d+$/, times: 1 };
    discord.inject({ ...guildFault, status: 404, code: UnknownGuild });
    expect(await read()).to.equal(null);
    discord.inject({ ...guildFault, status: 404, code: RESTJSONErrorCodes.UnknownChannel });
    expect(await thrownBy(read())).to.be.instanceOf(GoneFromDiscord);
    discord.inject({ match: /^GET .*\/guilds\/\d+$/, status: 403, times: 1 });
    expect(await thrownBy(read())).to.be.instanceOf(DiscordForbids);
  });

  describe('Calls about members', () => {
    it('readMember returns a member with roles, and null for a person outside the server', async () => {
      const { id: roleId } = discord.addRole(guild.guildId, { name: 'Reader' });
      const { chatUserId, username } = await buildMember(guild, { linked: false, roleIds: [roleId] });
      expect(await readMember(guild.guildId, chatUserId)).to.deep.equal({
        chatUserId,
        username,
        avatar: null,
        nickname: null,
        profile: `The ${username}`,
        pending: false,
        roleIds: [roleId],
      });
      expect(await readMember(guild.guildId, (await buildPerson()).chatUserId)).to.equal(null);
    });

    it('giveRole and takeRole give and take roles with a reason of any letters', async () => {
      const { id: roleId } = discord.addRole(guild.guildId, { name: 'Given' });
      const { chatUserId } = await buildMember(guild, { linked: false });
      await giveRole(guild.guildId, chatUserId, roleId, { reason: 'Grüße ☂ 100%' });
      expect(discord.member(guild.guildId, chatUserId)?.roleIds).to.deep.equal([roleId]);
      expect(discord.auditLog(guild.guildId).at(-1)).to.deep.include({ reason: 'Grüße ☂ 100%', roleId });
      await takeRole(guild.guildId, chatUserId, roleId, { reason: 'over' });
      expect(discord.member(guild.guildId, chatUserId)?.roleIds).to.deep.equal([]);
    });

    it('An edit of a member changes only the given fields, and returns the member after it', async () => {
      const { id: roleId } = discord.addRole(guild.guildId, { name: 'Edited' });
      const { chatUserId } = await buildMember(guild, { linked: false, roleIds: [roleId] });
      const renamed = await editMemberInTurn(guild.guildId, chatUserId, async () => ({ nickname: 'Nick' }), {
        reason: 'test',
      });
      expect(renamed).to.deep.include({ nickname: 'Nick', roleIds: [roleId] });
      const bare = await editMemberInTurn(guild.guildId, chatUserId, async () => ({ roleIds: [] }), { reason: 'test' });
      expect(bare).to.deep.include({ nickname: 'Nick', roleIds: [] });
      expect(
        await editMemberInTurn(guild.guildId, chatUserId, async () => ({ nickname: null }), { reason: 'test' }),
      ).to.include({
        nickname: null,
      });
      expect(discord.member(guild.guildId, chatUserId)).to.deep.equal({ roleIds: [], nickname: null });
    });

    it('A role change distinguishes deleted roles from those out of the bot’s reach', async () => {
      const high = discord.addRole(guild.guildId, { name: 'High', position: 99 });
      const { chatUserId } = await buildMember(guild, { linked: false });
      const { guildId } = guild;
      const gone = '123456789012345678';
      expect(await thrownBy(giveRole(guildId, chatUserId, gone, { reason: 'test' }))).to.be.instanceOf(GoneFromDiscord);
      const listed = editMemberInTurn(guildId, chatUserId, async () => ({ roleIds: [gone] }), { reason: 'test' });
      expect(await thrownBy(listed)).to.be.instanceOf(GoneFromDiscord);
      expect(await thrownBy(giveRole(guildId, chatUserId, high.id, { reason: 'test' }))).to.be.instanceOf(
        DiscordForbids,
      );
      const all = editMemberInTurn(guildId, chatUserId, async () => ({ roleIds: [high.id] }), { reason: 'test' });
      expect(await thrownBy(all)).to.be.instanceOf(DiscordForbids);
      expect(discord.member(guildId, chatUserId)?.roleIds).to.deep.equal([]);
    });
  });
});
