import { container } from '@sapphire/framework';
import { expect } from 'chai';
import { Routes } from 'discord.js';
import { inLane } from '../../../src/lib/lane.js';
import { editMemberInTurn } from '../../../src/platforms/discord/member-writes.js';
import { lanesOf } from '../../../src/platforms/discord/rest/request-lanes.js';
import { withPromptSyncs } from '../../support/background.js';
import { eventually, forgetPending, linkPerson } from '../../support/build.js';
import { world } from '../../support/world.js';
import {
  buildGroupGuild,
  buildSettledMember,
  mapTo,
  memberWrites,
  rolesOf,
  sync,
  withoutNicknames,
} from './sync-setup.js';

// SYNC-17
describe('Changes of several roles', () => {
  withPromptSyncs();
  afterEach(async () => {
    (await world()).discord.clearFaults();
  });

  /** A person with this many due roles, in a guild without a member edit for this many seconds. */
  async function owingWhileEmpty(roles: number, seconds: number) {
    const { discord } = await world();
    const guild = await buildGroupGuild();
    await withoutNicknames(guild);
    const roleIds = await mapTo(guild, { type: 'verified' }, { roles });
    const person = await buildSettledMember(guild, { linked: false });
    const match = new RegExp(`^PATCH .*/guilds/${guild.guildId}/members/`);
    discord.inject({ match, status: 429, retryAfter: seconds, times: 1 });
    const giveUp = new AbortController();
    const edit = () =>
      editMemberInTurn(guild.guildId, person.chatUserId, async () => ({ roleIds: [] }), { reason: 'test' });
    const refused = inLane('press', edit, giveUp.signal).catch(() => undefined);
    const { rest } = lanesOf(container.client.rest);
    const waitMs = () => rest.waitOf('PATCH', Routes.guildMember(guild.guildId, person.chatUserId));
    await eventually(() => waitMs() > 0, 'the refusal');
    giveUp.abort();
    await refused;
    await linkPerson(guild.guildId, person);
    // Only the test syncs them.
    await forgetPending();
    discord.forgetRequests();
    return { guild, person, roleIds };
  }

  it('A change of up to 3 roles is made role by role while edits would have to wait', async () => {
    const { guild, person, roleIds } = await owingWhileEmpty(3, 600);
    expect((await sync(guild, person)).added).to.have.members(roleIds);
    expect(await rolesOf(guild, person)).to.have.members(roleIds);
    const calls = (await memberWrites(guild)).map((call) => call.split(' ')[0]);
    expect(calls).to.deep.equal(['PUT', 'PUT', 'PUT']);
  });

  it('A change of more than 3 roles waits for its edit', async () => {
    const { guild, person, roleIds } = await owingWhileEmpty(4, 2);
    await sync(guild, person);
    await eventually(async () => (await rolesOf(guild, person))?.length === roleIds.length);
    const calls = (await memberWrites(guild)).map((call) => call.split(' ')[0]);
    expect(calls).to.deep.equal(['PATCH']);
  });
});
