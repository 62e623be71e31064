import { expect } from 'chai';
import { withPromptSyncs } from '../../support/background.js';
import { forgetPending, linkPerson, type TestPerson } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import {
  addRole,
  buildGroupGuild,
  buildSettledMember,
  type GroupGuild,
  mapTo,
  memberWrites,
  rolesOf,
  sync,
  withoutNicknames,
} from './sync-setup.js';

// SYNC-59
describe('One answer of Discord without a member’s roles', () => {
  withPromptSyncs();
  let discord: World['discord'];
  let guild: GroupGuild;
  let person: TestPerson;
  let foreign: string;

  before(async () => {
    ({ discord } = await world());
  });
  afterEach(() => discord.clearFaults());

  /** A person with a role from elsewhere, and this many due ones. */
  async function owing(roles: number): Promise<string[]> {
    guild = await buildGroupGuild();
    await withoutNicknames(guild);
    const roleIds = await mapTo(guild, { type: 'verified' }, { roles });
    foreign = await addRole(guild);
    person = await buildSettledMember(guild, { linked: false, roleIds: [foreign] });
    await linkPerson(guild.guildId, person);
    await forgetPending();
    discord.forgetRequests();
    return [...roleIds, foreign];
  }

  const withoutRoles = (times: number) =>
    discord.inject({
      match: new RegExp(`^GET .*/members/${person.chatUserId}$`),
      times,
      reshape: (body) => ({ ...(body as object), roles: [] }),
    });
  const methods = async () => (await memberWrites(guild)).map((call) => call.split(' ')[0]);

  it('A list is written from a second reading, which has the roles from elsewhere', async () => {
    const roleIds = await owing(4);
    withoutRoles(2);
    await sync(guild, person);
    expect(await rolesOf(guild, person)).to.have.members(roleIds);
    expect(await methods()).to.deep.equal(['PATCH']);
  });

  it('Up to three changes go singly while the doubt lasts', async () => {
    const roleIds = await owing(3);
    withoutRoles(3);
    await sync(guild, person);
    expect(await rolesOf(guild, person)).to.have.members(roleIds);
    expect(await methods()).to.deep.equal(['PUT', 'PUT', 'PUT']);
  });
});
