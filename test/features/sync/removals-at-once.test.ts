import { expect } from 'chai';
import { defaultSettings } from '../../../src/core/settings/guild-settings.js';
import { Members } from '../../../src/features/members/member-model.js';
import { pendingSync } from '../../../src/features/members/pending-syncs.js';
import { clock } from '../../../src/lib/clock.js';
import { runPendingSyncs } from '../../support/background.js';
import type { TestPerson } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import { buildResyncGuild, memberWrites, type ResyncGuild, resyncWhere, rolesOf } from './resync-setup.js';
import { setSettings, sync } from './sync-setup.js';

const count = 8;
/** The limit is three people, so two may lose roles within an hour. */
const most = 2;

/** SYNC-10, SYNC-11, SYNC-65: the removal limit's count is taken at the write, by one command. */
describe('The removal limit of a server, for writes at the same moment', () => {
  let discord: World['discord'];
  let roblox: World['roblox'];
  let guild: ResyncGuild;

  before(async () => {
    ({ discord, roblox } = await world());
  });
  beforeEach(async () => {
    guild = await buildResyncGuild({ count });
    const nickname = { ...defaultSettings.nickname, enabled: false };
    await setSettings(guild, { nickname, massRemoval: { people: most + 1, sharePercent: 10 } });
  });
  afterEach(() => {
    discord.clearFaults();
    clock.restore();
  });

  const leave = (people: readonly TestPerson[]) => {
    for (const { gameUserId } of people) roblox.leaveGroup(guild.groupId, gameUserId);
  };
  const syncAll = (people: readonly TestPerson[]) => Promise.all(people.map((person) => sync(guild, person)));
  const holders = async (): Promise<number> => {
    const held = await Promise.all(guild.people.map((person) => rolesOf(guild, person)));
    return held.filter((roleIds) => roleIds?.includes(guild.memberRole)).length;
  };

  it('Syncs of everybody at the same moment take roles from as many people as the limit permits', async () => {
    leave(guild.people);
    await syncAll(guild.people);
    expect(await holders()).to.equal(count - most);
  });

  it('A resync of some and the syncs of all others at the same moment take no more than the limit together', async () => {
    leave(guild.people);
    const memberIds = guild.people.slice(0, most).map(({ chatUserId }) => chatUserId);
    const partial = async () => {
      const { body } = await guild.api.post(`${guild.path}/resync`, { memberIds });
      await resyncWhere(guild, body.jobId, (job) => job.state === 'completed' || job.awaitingConfirmation !== null);
    };
    await Promise.all([partial(), syncAll(guild.people.slice(most))]);
    expect(await holders()).to.be.at.least(count - most);
    expect(await holders()).to.be.below(count);
  });

  it('A removal that Discord refuses counts nobody, however often it is tried', async () => {
    const refused = guild.people.slice(0, most);
    leave(guild.people);
    for (const { chatUserId } of refused) {
      discord.inject({ match: new RegExp(`^DELETE .*/members/${chatUserId}/`), status: 403, code: 50_013 });
    }
    await syncAll(refused);
    await syncAll(refused);
    await Members.acrossGuilds.updateMany({ guildId: guild.guildId }, { $set: pendingSync('rank_change') });
    await runPendingSyncs(guild.guildId);
    expect(await holders()).to.equal(count - most);
  });

  it('A person whose removal was interrupted is not counted twice', async () => {
    const [first, ...others] = guild.people.slice(0, most);
    leave(guild.people.slice(0, most));
    discord.inject({ match: new RegExp(`^DELETE .*/members/${first?.chatUserId}/`), status: 500, times: 1 });
    if (first !== undefined) await sync(guild, first).catch(() => undefined);
    await syncAll(guild.people.slice(0, most));
    expect(others).to.have.length(most - 1);
    expect(await holders()).to.equal(count - most);
    expect(await memberWrites(guild.guildId)).to.include('DELETE');
  });
});
