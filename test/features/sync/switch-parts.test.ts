import { container } from '@sapphire/framework';
import { expect } from 'chai';
import sinon from 'sinon';
import { defaultSettings } from '../../../src/core/settings/guild-settings.js';
import { findMember } from '../../../src/features/members/member-service.js';
import { latestSwitch } from '../../../src/features/sync/resync/switch-service.js';
import { wakeUndos } from '../../../src/features/sync/resync/switch-undo.js';
import { minuteMs } from '../../../src/lib/time.js';
import { lanesOf } from '../../../src/platforms/discord/rest/request-lanes.js';
import { runPendingSyncs, withPromptSyncs } from '../../support/background.js';
import { buildMember, buildPerson, eventually, type TestPerson } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import { resyncWhere } from './resync-setup.js';
import { buildGroupGuild, type GroupGuild, mapTo, rankFrom, rolesOf, setSettings, sync } from './sync-setup.js';

/** How often discord.js sends a call that Discord answers with 5xx. */
const sendings = 4;

// OBS-12, OBS-96
describe('A switch that is interrupted between two roles of a member', () => {
  withPromptSyncs();
  let discord: World['discord'];
  let guild: GroupGuild;
  let person: TestPerson;
  let officer: string[];
  /** Whether edits have no room at all. */
  let isFull = false;

  beforeEach(async () => {
    const { roblox } = await world();
    ({ discord } = await world());
    guild = await buildGroupGuild();
    await setSettings(guild, { mode: 'observe', nickname: { ...defaultSettings.nickname, enabled: false } });
    officer = (await mapTo(guild, rankFrom(guild, 100), { roles: 2 })).sort();
    person = await buildPerson();
    roblox.setRank(guild.groupId, person.gameUserId, 100);
    await buildMember(guild, { person });
    await eventually(async () => {
      await runPendingSyncs(guild.guildId);
      return (await findMember(guild.guildId, person.chatUserId))?.differs;
    }, 'the difference');
    // An edit has room when its change begins, and none when it is sent, so that the roles go one by one (SYNC-17).
    let asked = 0;
    isFull = false;
    const { rest } = lanesOf(container.client.rest);
    const { waitOf } = rest;
    sinon.replace(rest, 'waitOf', (method, path) => {
      if (method !== 'PATCH' || !path.includes(guild.guildId)) return waitOf.call(rest, method, path);
      asked += 1;
      return isFull || asked % 2 === 0 ? minuteMs : 0;
    });
  });
  afterEach(() => {
    discord.clearFaults();
    sinon.restore();
  });

  const post = (what: string, body: object = {}) => guild.api.post(`${guild.path}${what}`, body);

  const secondRole = () => new RegExp(`^PUT .*/${guild.guildId}/members/${person.chatUserId}/roles/${officer[1]}`);

  /** Discord fails at the second role, as often as it is asked in this many tries of a change. */
  async function goLive(failedTries: number) {
    const { body: shown } = await post('/sync/preview');
    discord.inject({ match: secondRole(), status: 500, times: failedTries * sendings });
    const { body } = await post('/differences/go-live', { previewId: shown.previewId });
    return resyncWhere(guild, body.jobId, ({ state }) => state === 'completed');
  }

  async function undone() {
    expect((await post('/differences/undo')).status).to.equal(200);
    return eventually(async () => {
      const now = await latestSwitch(guild.guild);
      return now?.undo?.state === 'completed' ? now : null;
    }, 'the undo');
  }

  it('A switch gives the other role on its next try, and its undo takes both back', async () => {
    expect(await goLive(1)).to.include({ changed: 1, failed: 0 });
    expect(await rolesOf(guild, person)).to.have.members(officer);
    expect(await undone()).to.include({ changed: 0, undone: 1 });
    expect(await rolesOf(guild, person)).to.deep.equal([]);
  });

  // OBS-20
  it('An undo that fails between two roles takes the other one back too', async () => {
    await goLive(0);
    isFull = true;
    const second = new RegExp(`^DELETE .*/${guild.guildId}/members/${person.chatUserId}/roles/${officer[1]}`);
    discord.inject({ match: second, status: 500, times: sendings });
    expect((await post('/differences/undo')).status).to.equal(200);
    await eventually(async () => {
      await wakeUndos();
      return (await latestSwitch(guild.guild))?.undo?.state === 'completed';
    }, 'the undo');
    expect(await latestSwitch(guild.guild)).to.deep.include({ changed: 0, undone: 1, kept: [] });
    expect(await rolesOf(guild, person)).to.deep.equal([]);
  });

  it('A switch leaves the other role to a sync of its own after two failed tries, and its undo takes both back', async () => {
    await goLive(2);
    await eventually(async () => {
      await runPendingSyncs(guild.guildId);
      return (await rolesOf(guild, person))?.length === officer.length;
    }, 'the other role');
    expect(await undone()).to.include({ changed: 0, undone: 1 });
    expect(await rolesOf(guild, person)).to.deep.equal([]);
  });

  it('A switch leaves the other role to a sync of its own when another bot gives a role between its tries', async () => {
    const { body: shown } = await post('/sync/preview');
    const failing = { match: secondRole(), status: 500 };
    const call = discord.hold(failing);
    const { body } = await post('/differences/go-live', { previewId: shown.previewId });
    await call.reached;
    const other = discord.addRole(guild.guildId, { name: 'Other' }).id;
    discord.setMemberRoles(guild.guildId, person.chatUserId, [...officer.slice(0, 1), other]);
    discord.inject({ ...failing, times: sendings - 1 });
    call.letGo();
    expect(await resyncWhere(guild, body.jobId, ({ state }) => state === 'completed')).to.include({ changed: 0 });
    await eventually(async () => {
      await runPendingSyncs(guild.guildId);
      return (await rolesOf(guild, person))?.length === officer.length + 1;
    }, 'the other role');
  });

  it('A role that another bot gave after the preview leaves the member to a sync of their own', async () => {
    const { body: shown } = await post('/sync/preview');
    discord.setMemberRoles(guild.guildId, person.chatUserId, officer.slice(0, 1));
    await sync(guild, person);
    const { body } = await post('/differences/go-live', { previewId: shown.previewId });
    expect(await resyncWhere(guild, body.jobId, ({ state }) => state === 'completed')).to.include({ changed: 0 });
    await eventually(async () => {
      await runPendingSyncs(guild.guildId);
      return (await rolesOf(guild, person))?.length === officer.length;
    }, 'the other role');
  });
});
