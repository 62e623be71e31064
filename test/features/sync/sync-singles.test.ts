import { expect } from 'chai';
import { editMemberInTurn } from '../../../src/platforms/discord/member-writes.js';
import { eventually, linkPerson } from '../../support/build.js';
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

describe('a change of several roles', () => {
  /** Somebody who is to get so many roles, in a guild in which no member can be edited for some seconds. */
  async function owingWhileEmpty(roles: number) {
    const { discord } = await world();
    const guild = await buildGroupGuild();
    await withoutNicknames(guild);
    const roleIds = await mapTo(guild, { type: 'verified' }, { roles });
    const person = await buildSettledMember(guild, { linked: false });
    const edit = () =>
      editMemberInTurn(guild.guildId, person.chatUserId, async () => ({ roleIds: [] }), { reason: 'test' });
    for (let n = 0; n < 10; n += 1) await edit();
    await linkPerson(guild.guildId, person);
    discord.forgetRequests();
    return { guild, person, roleIds };
  }

  it('of up to 3 roles is made role by role while edits would have to wait', async () => {
    const { guild, person, roleIds } = await owingWhileEmpty(3);
    expect((await sync(guild, person)).added).to.have.members(roleIds);
    expect(await rolesOf(guild, person)).to.have.members(roleIds);
    const calls = (await memberWrites(guild)).map((call) => call.split(' ')[0]);
    expect(calls).to.deep.equal(['PUT', 'PUT', 'PUT']);
  });

  it('of more waits for its edit', async () => {
    const { guild, person, roleIds } = await owingWhileEmpty(4);
    await sync(guild, person);
    await eventually(async () => (await rolesOf(guild, person))?.length === roleIds.length);
    const calls = (await memberWrites(guild)).map((call) => call.split(' ')[0]);
    expect(calls).to.deep.equal(['PATCH']);
  });
});
