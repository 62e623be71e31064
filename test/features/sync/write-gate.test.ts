import { expect } from 'chai';
import { systemActor } from '../../../src/core/actors/actor.js';
import { defaultSettings } from '../../../src/core/settings/guild-settings.js';
import { suspend } from '../../../src/features/admin/guild-suspension.js';
import { Mappings } from '../../../src/features/mappings/mapping-model.js';
import { findMember } from '../../../src/features/members/member-service.js';
import { inLane } from '../../../src/lib/lane.js';
import { withPromptSyncs } from '../../support/background.js';
import { eventually, forgetPending, linkPerson, type TestPerson } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import {
  buildGroupGuild,
  buildSettledMember,
  type GroupGuild,
  mapTo,
  memberWrites,
  pendingSyncOf,
  refusal,
  rolesOf,
  setSettings,
  sync,
  withoutNicknames,
} from './sync-setup.js';

// SYNC-58
describe('The gate at the write', () => {
  withPromptSyncs();
  let discord: World['discord'];
  let guild: GroupGuild;

  before(async () => {
    ({ discord } = await world());
  });
  beforeEach(async () => {
    guild = await buildGroupGuild();
    await withoutNicknames(guild);
  });
  afterEach(() => discord.clearFaults());

  /** People who are due one role, of whom nobody but the test syncs any. */
  async function owing(count: number): Promise<TestPerson[]> {
    await mapTo(guild, { type: 'verified' });
    const people: TestPerson[] = [];
    for (let n = 0; n < count; n += 1) people.push(await buildSettledMember(guild, { linked: false }));
    for (const person of people) await linkPerson(guild.guildId, person);
    await forgetPending();
    discord.forgetRequests();
    return people;
  }

  /** Starts the syncs of these people, where the first one’s call is held and the others wait behind it. */
  async function waiting(people: readonly TestPerson[]) {
    const first = discord.hold({ match: /^PUT .*\/roles\// });
    const syncs = people.map((person) => inLane('single', () => sync(guild, person)).catch((error: Error) => error));
    await first.reached;
    await eventually(async () => {
      const begun = await Promise.all(people.map(({ chatUserId }) => findMember(guild.guildId, chatUserId)));
      return begun.every((member) => member?.applying !== undefined);
    }, 'the waiting calls');
    return async (change: () => Promise<unknown>) => {
      await change();
      // Longer than facts are good enough for a write.
      await new Promise((resolve) => setTimeout(resolve, 300));
      first.letGo();
      return Promise.all(syncs);
    };
  }

  it('Syncs that wait when the server is set to observe write nothing more, and keep their differences', async () => {
    const people = await owing(4);
    const afterwards = await waiting(people);
    const off = { ...defaultSettings.nickname, enabled: false };
    const ended = await afterwards(() => setSettings(guild, { mode: 'observe', nickname: off }));
    expect(ended.map((end) => (end instanceof Error ? end.message : end.observed === true))).to.have.members([
      false,
      true,
      true,
      true,
    ]);
    expect(await memberWrites(guild)).to.have.length(1);
    const members = await Promise.all(people.map(({ chatUserId }) => findMember(guild.guildId, chatUserId)));
    expect(members.filter((member) => member?.differs === true)).to.have.length(3);
    expect(members.filter((member) => member?.applying !== undefined)).to.deep.equal([]);
  });

  it('Syncs that wait when the server is suspended write nothing more', async () => {
    const people = await owing(3);
    const afterwards = await waiting(people);
    await afterwards(() => suspend(guild.guildId, 'test', systemActor('test')));
    expect(await memberWrites(guild)).to.have.length(1);
  });

  it('A sync that waits when a mapping goes plans again, and gives nothing of it', async () => {
    const people = await owing(2);
    const afterwards = await waiting(people);
    const [mapping] = await Mappings.find({ guildId: guild.guildId });
    await afterwards(() => guild.api.delete(`${guild.path}/mappings/${mapping?._id}`));
    expect(await memberWrites(guild)).to.have.length(1);
    const held = await Promise.all(people.map((person) => rolesOf(guild, person)));
    expect(held.flat()).to.have.length(1);
  });

  // SYNC-60
  it('A member whose resync waits for its turn is synced at their own wish', async () => {
    const [held, person] = await owing(2);
    if (held === undefined || person === undefined) throw new Error('nobody');
    const first = discord.hold({ match: new RegExp(`^PUT .*/members/${held.chatUserId}/roles/`) });
    const slow = inLane('single', () => sync(guild, held));
    await first.reached;
    const { body } = await guild.api.post(`${guild.path}/resync`, { memberIds: [person.chatUserId] });
    const { guildId } = guild;
    await eventually(async () => (await findMember(guildId, person.chatUserId))?.applying !== undefined, 'the wait');
    const failure = await refusal(sync(guild, person)).catch(() => undefined);
    expect(failure).to.equal(undefined);
    expect(await rolesOf(guild, person)).to.have.length(1);
    first.letGo();
    await slow;
    await eventually(async () => {
      const { body: job } = await guild.api.get(`${guild.path}/resync/${body.jobId}`);
      return job.state === 'completed';
    }, 'the resync');
    expect(await pendingSyncOf(guild, person)).to.equal(undefined);
    expect(
      (await findMember(guildId, person.chatUserId))?.syncs.filter(({ added }) => added.length > 0),
    ).to.have.length(1);
  });
});
