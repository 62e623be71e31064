import { expect } from 'chai';
import mongoose from 'mongoose';
import { defaultSettings } from '../../../src/core/settings/guild-settings.js';
import { clock } from '../../../src/lib/clock.js';
import { hourMs } from '../../../src/lib/time.js';
import { privateWords } from '../../commands/private-answer.js';
import { giveTeamRole } from '../../commands/team.js';
import { type Api, api, asPerson } from '../../support/api.js';
import { buildMember, eventually, type TestPerson, tokenFor } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import { buildTeammate } from '../team/team-setup.js';
import { resyncIn } from './resync-setup.js';
import {
  addRole,
  buildGroupGuild,
  buildSettledMember,
  type GroupGuild,
  mapTo,
  rolesOf,
  setSettings,
} from './sync-setup.js';

/** SYNC-10: one actor's removals within an hour count together. */
describe('Removals by hand', () => {
  let discord: World['discord'];
  let guild: GroupGuild;
  let roleId: string;
  /** Hold a role that the next sync takes. */
  let people: TestPerson[];
  let manager: Awaited<ReturnType<typeof buildTeammate>>;

  before(async () => {
    ({ discord } = await world());
  });
  beforeEach(async () => {
    guild = await buildGroupGuild();
    const nickname = { ...defaultSettings.nickname, enabled: false };
    await setSettings(guild, { nickname, massRemoval: { people: 3, sharePercent: 30 } });
    roleId = await addRole(guild);
    await mapTo(guild, { type: 'unverified' }, { roleIds: [roleId] });
    people = await Promise.all(Array.from({ length: 5 }, () => buildSettledMember(guild)));
    for (const person of people) discord.setMemberRoles(guild.guildId, person.chatUserId, [roleId]);
    manager = await buildTeammate(guild, 'manager');
  });
  afterEach(() => clock.restore());

  const update = (by: Api, { chatUserId }: TestPerson) => by.post(`${guild.path}/members/${chatUserId}/resync`);
  const holders = async () => {
    const held = await Promise.all(people.map((person) => rolesOf(guild, person)));
    return held.filter((roleIds) => roleIds?.includes(roleId)).length;
  };

  // SYNC-11
  it('A manager resyncing people one after the other is stopped at the removal limit of a resync', async () => {
    const answers = [];
    for (const person of people) answers.push(await update(manager.api, person));
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 409, 409, 409]);
    expect(answers[2]?.body).to.include({ code: 'mass_removal' });
    expect(await holders()).to.equal(3);
    const [, , third] = people;
    expect((await update(api(await tokenFor(guild.guildId, 'manager')), third as TestPerson)).status).to.equal(200);
  });

  it('A manager resyncing people at the same moment is stopped at the removal limit of a resync', async () => {
    const answers = await Promise.all(people.map((person) => update(manager.api, person)));
    expect(answers.filter(({ status }) => status === 200).length).to.be.lessThan(3);
    expect(await holders()).to.be.greaterThan(2);
  });

  it('The count of removals by hand starts again after an hour, and never counts people’s own updates', async () => {
    const [first, second, third, fourth] = people as [TestPerson, TestPerson, TestPerson, TestPerson];
    await update(manager.api, first);
    await update(manager.api, second);
    expect((await update(manager.api, third)).status).to.equal(409);
    const own = discord.command(guild.guildId, fourth.chatUserId, 'update', {});
    expect(await privateWords(own)).to.include('Roles removed');
    clock.advance(hourMs + 1);
    expect((await update(await asPerson(manager), third)).status).to.equal(200);
  });

  it('/update of others counts together with the API, and explains why it stops', async () => {
    const [first, second, third] = people as [TestPerson, TestPerson, TestPerson];
    const mate = await buildMember(guild, { linked: false });
    await giveTeamRole(guild, mate.chatUserId, 'manager');
    const command = ({ chatUserId }: TestPerson) =>
      privateWords(discord.command(guild.guildId, mate.chatUserId, 'update', { member: chatUserId }));
    await command(first);
    expect((await update(await asPerson(mate), second)).status).to.equal(200);
    expect(await command(third)).to.include('from 3 people within an hour');
    expect(await rolesOf(guild, third)).to.deep.equal([roleId]);
  });

  // SYNC-11
  it('Resyncs of a few members count together with single ones, and wait for an admin', async () => {
    const [first, ...others] = people as [TestPerson, ...TestPerson[]];
    const part = async (some: readonly TestPerson[]) => {
      const { body } = await manager.api.post(`${guild.path}/resync`, {
        memberIds: some.map(({ chatUserId }) => chatUserId),
      });
      return body.jobId;
    };
    await update(manager.api, first);
    await resyncIn(guild, await part(others.slice(0, 1)), 'completed');
    expect(await holders()).to.equal(3);
    const held = await part(others.slice(1, 3));
    const { body } = await eventually(async () => {
      const answer = await guild.api.get(`${guild.path}/resync/${held}`);
      return answer.body.awaitingConfirmation ? answer : null;
    }, 'the brake');
    expect(body.awaitingConfirmation).to.include({ losing: 4 });
    expect(await holders()).to.equal(3);
    await guild.api.post(`${guild.path}/resync`, { confirm: held });
    await resyncIn(guild, held, 'completed');
    expect(await holders()).to.equal(1);
  });

  it('An erasure forgets the people with roles removed by hand', async () => {
    const [first] = people as [TestPerson];
    await update(manager.api, first);
    const noted = () => mongoose.connection.collection('hand_removals').countDocuments({ what: first.chatUserId });
    expect(await noted()).to.equal(1);
    const session = await asPerson(first);
    expect((await session.delete('/api/auth/me')).status).to.equal(202);
    await eventually(async () => (await noted()) === 0, 'the note to go');
  });
});
