import { expect } from 'chai';
import { chatUser } from '../../../src/core/actors/actor.js';
import { unlinkAccount } from '../../../src/features/accounts/account-service.js';
import { findMember } from '../../../src/features/members/member-service.js';
import { erasePerson } from '../../../src/features/privacy/erasure.js';
import { withPromptSyncs } from '../../support/background.js';
import { eventually, type TestPerson } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import {
  buildGroupGuild,
  buildSettledMember,
  type GroupGuild,
  lastSyncOf,
  mapTo,
  memberWrites,
  pendingSyncOf,
  rankFrom,
  reconfigureRoblox,
  refusal,
  retryNow,
  rolesOf,
  sync,
  withoutNicknames,
} from './sync-setup.js';

// SYNC-2
describe('Syncs while Roblox fails', () => {
  withPromptSyncs();
  let discord: World['discord'];
  let roblox: World['roblox'];
  let guild: GroupGuild;
  let person: TestPerson;
  let memberRole: string;
  let officerRole: string;
  let restore: () => void;

  before(async () => {
    ({ discord, roblox } = await world());
  });
  beforeEach(async () => {
    restore = reconfigureRoblox({ timeoutMs: 200 });
    guild = await buildGroupGuild();
    await withoutNicknames(guild);
    [memberRole = ''] = await mapTo(guild, rankFrom(guild, 1));
    [officerRole = ''] = await mapTo(guild, rankFrom(guild, 100));
    person = await buildSettledMember(guild);
    roblox.setRank(guild.groupId, person.gameUserId, 100);
    await sync(guild, person);
    expect(await rolesOf(guild, person)).to.have.members([memberRole, officerRole]);
  });
  afterEach(() => {
    roblox.clearFaults();
    restore();
  });

  const openCloud = /^GET apis\.roblox\.com\/cloud\/v2\/groups/;
  for (const [outage, fault] of Object.entries({
    'answers with 500': { match: openCloud, status: 500 },
    'limits our rate for long': { match: openCloud, status: 429, retryAfter: 60 },
    'refuses our key': { match: openCloud, status: 403 },
    'does not answer in time': { match: openCloud, delayMs: 400 },
    'drops the connection': { match: openCloud, dropSocket: true },
    'breaks off in its answer': { match: openCloud, corrupt: 'truncated' },
    'answers with an empty page': { match: openCloud, corrupt: 'empty_data' },
    'does not show the roles of the group': {
      match: /^GET apis\.roblox\.com\/cloud\/v2\/groups\/\d+\/roles/,
      status: 500,
    },
  } as const)) {
    it(`A sync takes no role when Roblox ${outage}, reports it, and recovers automatically`, async () => {
      if (outage.includes('roles of the group')) {
        restore();
        restore = reconfigureRoblox({ timeoutMs: 200 });
      }
      // Were the answer taken for the truth, both roles would go.
      roblox.setRank(guild.groupId, person.gameUserId, 1);
      roblox.inject(fault);
      discord.forgetRequests();
      expect(await refusal(sync(guild, person))).to.include({ code: 'game_platform_unavailable' });
      expect(await rolesOf(guild, person)).to.have.members([memberRole, officerRole]);
      expect(await memberWrites(guild)).to.deep.equal([]);
      const failed = { trigger: 'command', added: [], removed: [], error: 'game_platform_unavailable' };
      expect(await lastSyncOf(guild, person)).to.deep.include(failed);
      expect(await pendingSyncOf(guild, person)).to.include({ trigger: 'command', attempts: 1 });
      expect(await findMember(guild.guildId, person.chatUserId)).to.include({ state: 'linked' });

      roblox.clearFaults();
      restore();
      await retryNow(guild, person);
      expect(await rolesOf(guild, person)).to.deep.equal([memberRole]);
      expect(await lastSyncOf(guild, person)).to.deep.include({ trigger: 'command', removed: [officerRole] });
      expect(await pendingSyncOf(guild, person)).to.equal(undefined);
    });
  }

  // SYNC-7
  it('A sync asks another interface of Roblox before it accepts that a person left a group, and then takes the roles', async () => {
    roblox.leaveGroup(guild.groupId, person.gameUserId);
    roblox.forgetRequests();
    expect((await sync(guild, person)).removed).to.have.members([memberRole, officerRole]);
    const asked = roblox.requests.map(({ path }) => path);
    expect(asked).to.include(`/v2/users/${person.gameUserId}/groups/roles`);
    expect(await rolesOf(guild, person)).to.deep.equal([]);
  });

  // SYNC-7
  it('A sync takes no role while one of Roblox’s interfaces reports that the person is still in the group', async () => {
    const mend = roblox.inject({ match: /^GET apis\.roblox\.com\/cloud\/v2\/groups\/-/, corrupt: 'empty_data' });
    expect(await refusal(sync(guild, person))).to.include({ code: 'game_platform_unavailable' });
    expect(await rolesOf(guild, person)).to.have.members([memberRole, officerRole]);
    mend();
    expect(await sync(guild, person)).to.deep.include({ added: [], removed: [] });
    expect(await pendingSyncOf(guild, person)).to.equal(undefined);
  });

  it('A sync takes no role while Roblox’s second interface does not answer', async () => {
    roblox.leaveGroup(guild.groupId, person.gameUserId);
    roblox.inject({ match: /^GET groups\.roblox\.com\/v2\/users/, status: 500 });
    expect(await refusal(sync(guild, person))).to.include({ code: 'game_platform_unavailable' });
    expect(await rolesOf(guild, person)).to.have.members([memberRole, officerRole]);
    roblox.clearFaults();
    await retryNow(guild, person);
    expect(await rolesOf(guild, person)).to.deep.equal([]);
  });

  it('A sync takes no role for a lower rank while Roblox’s answers differ, and takes it once they agree', async () => {
    roblox.setRank(guild.groupId, person.gameUserId, 1);
    const mend = roblox.inject({ match: /^GET groups\.roblox\.com\/v2\/users/, corrupt: 'empty_data' });
    expect(await refusal(sync(guild, person))).to.include({ code: 'game_platform_unavailable' });
    expect(await rolesOf(guild, person)).to.have.members([memberRole, officerRole]);
    mend();
    roblox.forgetRequests();
    expect((await sync(guild, person)).removed).to.deep.equal([officerRole]);
    const asked = roblox.requests.map(({ path }) => path);
    expect(asked).to.include(`/v2/users/${person.gameUserId}/groups/roles`);
    expect(asked).to.include(`/cloud/v2/groups/${guild.groupId}/memberships`);
  });

  // SYNC-7
  it('A sync has its second reading from Open Cloud, group by group, when Roblox’s older host is closed', async () => {
    roblox.leaveGroup(guild.groupId, person.gameUserId);
    roblox.inject({ match: /^GET groups\.roblox\.com/, status: 401 });
    const inGroup = { match: /^GET apis\.roblox\.com\/cloud\/v2\/groups\/\d+\/memberships/, status: 500 };
    const mend = roblox.inject(inGroup);
    expect(await refusal(sync(guild, person))).to.include({ code: 'game_platform_unavailable' });
    expect(await rolesOf(guild, person)).to.have.members([memberRole, officerRole]);
    mend();
    await retryNow(guild, person);
    expect(await rolesOf(guild, person)).to.deep.equal([]);
  });

  const doors = {
    'by an admin': async () => {
      expect((await guild.api.delete(`${guild.path}/members/${person.chatUserId}/link`)).status).to.equal(204);
    },
    'by the person': () => unlinkAccount(person.chatUserId, chatUser(person.chatUserId, person.username)),
    'by the erasure of the person': () => erasePerson(person.chatUserId, person.username),
  };
  for (const [door, unlink] of Object.entries(doors)) {
    it(`Unlinking ${door} needs no Roblox, and takes back the roles of the link`, async () => {
      restore();
      restore = reconfigureRoblox({ timeoutMs: 200 });
      roblox.forgetRequests();
      roblox.inject({ match: /roblox\.com/, status: 500 });
      await unlink();
      await eventually(async () => (await rolesOf(guild, person))?.length === 0, 'the loss of the roles');
      expect(roblox.requests.filter(({ path }) => path.includes(guild.groupId))).to.deep.equal([]);
    });
  }
});
