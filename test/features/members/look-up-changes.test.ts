import { expect } from 'chai';
import { confirmGoneAccounts } from '../../../src/features/accounts/account-gone.js';
import { Accounts } from '../../../src/features/accounts/account-model.js';
import { onLookUpChanged, showsOtherRoles } from '../../../src/features/members/look-up-changes.js';
import { Members } from '../../../src/features/members/member-model.js';
import { renameMember } from '../../../src/features/members/member-names.js';
import { getMember } from '../../../src/features/members/member-service.js';
import { asPerson } from '../../support/api.js';
import { withPromptSyncs } from '../../support/background.js';
import { eventually, type TestPerson } from '../../support/build.js';
import { world } from '../../support/world.js';
import { addOther } from '../accounts/other-account.js';
import { buildResyncGuild, resync } from '../sync/resync-setup.js';
import { buildGroupGuild, buildSettledMember, type GroupGuild, setSettings } from '../sync/sync-setup.js';

let guild: GroupGuild;
let person: TestPerson;
const changed = new Set<string>();

const told = (...gameUserIds: string[]) => eventually(() => gameUserIds.every((id) => changed.has(id)), 'the changes');

// PUSH-1
describe('Changes of a look-up', () => {
  withPromptSyncs();
  let end: () => void;
  before(async () => {
    guild = await buildGroupGuild();
    end = onLookUpChanged((guildId, ids) => {
      if (guildId === guild.guildId) for (const id of ids) changed.add(id);
    });
  });
  after(() => end());
  beforeEach(async () => {
    person = await buildSettledMember(guild);
    changed.clear();
  });

  it('Another account in use is a change of the look-ups of both', async () => {
    const other = await addOther(person);
    changed.clear();
    const me = await asPerson(person);
    const { status } = await me.put(`/api/auth/me/accounts/${other.gameUserId}`, { guildIds: [guild.guildId] });
    expect(status).to.equal(200);
    await told(person.gameUserId, other.gameUserId);
  });

  it('A new name is a change of a look-up, and the same name is none', async () => {
    const member = await getMember(guild.guildId, person.chatUserId);
    const { gameUserId, gameUsername } = person;
    const game = { gameUserId, gameUsername, gameDisplayName: member.gameDisplayName ?? '' };
    await renameMember(member, game);
    expect([...changed]).to.deep.equal([]);
    await renameMember(member, { ...game, gameDisplayName: 'New' });
    expect([...changed]).to.deep.equal([gameUserId]);
  });

  it('A gone account is a change of a look-up', async () => {
    const { roblox } = await world();
    roblox.setBanned(person.gameUserId, true);
    await Accounts.updateMany({ gameUserId: person.gameUserId }, { $set: { missingSince: new Date(0) } });
    await confirmGoneAccounts(new Date(), new AbortController().signal);
    expect([...changed]).to.include(person.gameUserId);
  });

  it('A leave and a return are changes of a look-up', async () => {
    const { discord } = await world();
    discord.leave(guild.guildId, person.chatUserId);
    await told(person.gameUserId);
    changed.clear();
    discord.join(guild.guildId, person.chatUserId);
    await told(person.gameUserId);
  });

  it('A leave or return missed by the gateway changes a look-up at the next resync', async () => {
    const { guildId } = guild;
    const { chatUserId } = person;
    await Members.update({ guildId, chatUserId }, { $set: { present: false, presenceAt: new Date(0) } });
    await resync(guild);
    expect([...changed]).to.include(person.gameUserId);
  });

  it('Roles given by hand change a look-up at the next resync, also in an observing server', async () => {
    const { discord } = await world();
    const observing = await buildResyncGuild({ count: 3, inStep: 2 });
    await setSettings(observing, { mode: 'observe' });
    const seen: string[] = [];
    const stop = onLookUpChanged((guildId, ids) => {
      if (guildId === observing.guildId) seen.push(...ids);
    });
    await resync(observing);
    expect(seen).to.have.members(observing.people.slice(0, 2).map(({ gameUserId }) => gameUserId));
    seen.length = 0;
    const last = observing.people[2];
    discord.setMemberRoles(observing.guildId, last?.chatUserId ?? '', [observing.memberRole]);
    await resync(observing);
    expect(new Set(seen)).to.deep.equal(new Set([last?.gameUserId]));
    stop();
  });

  it('Only other roles change a look-up, in any order', () => {
    const left = (roleIds: string[]) => ({ roleIds, nickname: null });
    expect(showsOtherRoles({ left: left(['1', '2']) }, left(['2', '1']))).to.equal(false);
    expect(showsOtherRoles({ left: left(['1']) }, left(['2']))).to.equal(true);
    expect(showsOtherRoles({ left: left(['1']) }, left([]))).to.equal(true);
    expect(showsOtherRoles(null, left([]))).to.equal(false);
    expect(showsOtherRoles(undefined, left(['1']))).to.equal(true);
    expect(showsOtherRoles({ left: left(['1']) }, undefined)).to.equal(false);
  });
});
