import { expect } from 'chai';
import { type World, world } from '../../support/world.js';
import { preview } from './preview-setup.js';
import { buildResyncGuild, memberWrites, type ResyncGuild, resync } from './resync-setup.js';

const words = 'This nickname is blocked by the server';

// RESYNC-12, SYNC-30: what a plan has seen of a member on Discord is all that it is made by.
describe('Plans for people with a display name', () => {
  let discord: World['discord'];
  let roblox: World['roblox'];
  let guild: ResyncGuild;
  let endFilter: () => void;

  before(async () => {
    ({ discord, roblox } = await world());
  });
  beforeEach(() => {
    endFilter = () => undefined;
  });
  afterEach(() => endFilter());

  const promote = ({ gameUserId }: { gameUserId: string }) => roblox.setRank(guild.groupId, gameUserId, 100);

  /** People whose nickname Discord has refused, and who are due one more role since. */
  async function refusedAndPromoted(): Promise<void> {
    guild = await buildResyncGuild({ count: 3, inStep: 0 });
    endFilter = discord.filterNicknames(() => words);
    for (const { chatUserId } of guild.people) discord.setNickname(guild.guildId, chatUserId, null);
    expect(await resync(guild)).to.include({ changed: 3, failed: 0 });
    guild.people.forEach(promote);
    discord.forgetRequests();
  }

  it('A resync gives a role to people with a refused nickname by one call each, and not by a whole list', async () => {
    await refusedAndPromoted();
    expect(await resync(guild)).to.include({ changed: 3, failed: 0 });
    expect(await memberWrites(guild.guildId)).to.deep.equal(['PUT', 'PUT', 'PUT']);
  });

  it('An applied preview gives a role to people with a refused nickname by one call each', async () => {
    await refusedAndPromoted();
    const { previewId, members } = await preview(guild);
    expect(members).to.have.length(3);
    expect(await resync(guild, { previewId })).to.include({ changed: 3, failed: 0 });
    expect(await memberWrites(guild.guildId)).to.deep.equal(['PUT', 'PUT', 'PUT']);
  });
});
