import { expect } from 'chai';
import { defaultSettings } from '../../../src/core/settings/guild-settings.js';
import { findMember } from '../../../src/features/members/member-service.js';
import { wakeUndos } from '../../../src/features/sync/resync/switch-undo.js';
import { runPendingSyncs, withPromptSyncs } from '../../support/background.js';
import { buildMember, eventually, type TestPerson } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import { dataOf, listen } from '../events/listening.js';
import { preview } from './preview-setup.js';
import { resyncIn } from './resync-setup.js';
import { buildGroupGuild, type GroupGuild, mapTo, rolesOf, setSettings } from './sync-setup.js';

// SYNC-61, OBS-24
describe('What an undo has made is told once', () => {
  withPromptSyncs();
  let discord: World['discord'];
  let guild: GroupGuild;
  let person: TestPerson;
  let roleId: string;

  before(async () => {
    ({ discord } = await world());
  });
  beforeEach(async () => {
    guild = await buildGroupGuild();
    await setSettings(guild, { mode: 'observe', nickname: { ...defaultSettings.nickname, enabled: false } });
    [roleId = ''] = await mapTo(guild, { type: 'verified' });
    person = await buildMember(guild);
    await eventually(async () => {
      await runPendingSyncs(guild.guildId);
      return (await findMember(guild.guildId, person.chatUserId))?.differs === true;
    }, 'the difference');
    await listen(guild);
  });
  afterEach(() => discord.clearFaults());

  const post = (what: string, body: object = {}) => guild.api.post(`${guild.path}/differences/${what}`, body);
  const loseAnswer = (method: 'PUT' | 'DELETE') =>
    discord.inject({ match: new RegExp(`^${method} .*/members/`), dropSocket: true, when: 'after', times: 1 });
  const told = async () => {
    const events = await dataOf(guild, 'role.synced');
    return [events.flatMap(({ added }) => added), events.flatMap(({ removed }) => removed)];
  };

  async function goLive(): Promise<string> {
    const { previewId } = await preview(guild);
    const { status, body } = await post('go-live', { previewId });
    expect(status).to.equal(202);
    return body.jobId;
  }

  async function undone(): Promise<Record<string, unknown>> {
    expect((await post('undo')).status).to.equal(200);
    return eventually(async () => {
      await wakeUndos();
      const { body } = await guild.api.get(`${guild.path}/differences/switch`);
      return body.switch.state === 'undone' ? body.switch : null;
    }, 'the undo');
  }

  it('A role taken by an undo that never heard the answer is told once, by its next try', async () => {
    await resyncIn(guild, await goLive(), 'completed');
    loseAnswer('DELETE');
    expect(await undone()).to.deep.include({ putBack: 1, changed: 0, kept: [] });
    expect(await rolesOf(guild, person)).to.deep.equal([]);
    expect(await told()).to.deep.equal([[roleId], [roleId]]);
  });

  it('A role given by a switch that never heard the answer is told once when the switch is undone', async () => {
    loseAnswer('PUT');
    await goLive();
    await eventually(async () => (await rolesOf(guild, person))?.includes(roleId), 'the role');
    expect(await undone()).to.deep.include({ putBack: 1, changed: 0, kept: [] });
    expect(await rolesOf(guild, person)).to.deep.equal([]);
    expect(await told()).to.deep.equal([[roleId], [roleId]]);
  });

  it('A role taken by an undo that never heard the answer is told once when the person then leaves', async () => {
    await resyncIn(guild, await goLive(), 'completed');
    loseAnswer('DELETE');
    expect((await post('undo')).status).to.equal(200);
    await eventually(async () => (await rolesOf(guild, person))?.length === 0, 'the end of the role');
    discord.leave(guild.guildId, person.chatUserId);
    await eventually(async () => {
      await wakeUndos();
      const { body } = await guild.api.get(`${guild.path}/differences/switch`);
      return body.switch.state === 'undone';
    }, 'the undo');
    expect(await told()).to.deep.equal([[roleId], [roleId]]);
  });
});
