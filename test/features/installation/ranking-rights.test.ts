import { expect } from 'chai';
import { config } from '../../../src/config/config.js';
import { systemActor } from '../../../src/core/actors/actor.js';
import { addGroup } from '../../../src/core/groups/group-service.js';
import { checkRanking, unattachedFindings } from '../../../src/edges/operations/check-ranking.js';
import { checkGameKey } from '../../../src/features/installation/game-key.js';
import { newName } from '../../sandbox/roblox/roblox-fixture.js';
import { buildGuild } from '../../support/build.js';
import { type World, world } from '../../support/world.js';

const groups = () => config().rankingGroups;

// ROBLOX-29
describe('The right of the key to change ranks', () => {
  let service: World;
  before(async () => {
    service = await world();
  });
  // Other files let their own groups rank.
  beforeEach(() => groups().clear());
  afterEach(async () => {
    groups().clear();
    service.roblox.mendKey();
    service.roblox.setKey({ accountId: '1' });
    await checkGameKey();
  });

  /** A group attached to a server, and an account with that role in it as the key's. */
  async function setUp(permissions: ('changeRank' | 'acceptRequests')[]) {
    const guild = await buildGuild();
    const group = service.roblox.addGroup({
      name: 'Pine Crew',
      ownerId: service.roblox.addUser({ username: newName() }).id,
      roles: [
        { name: 'Guest', rank: 0 },
        { name: 'Cadet', rank: 1 },
        { name: 'Scout', rank: 5, permissions },
        { name: 'Captain', rank: 100, permissions },
        { name: 'Owner', rank: 255 },
      ],
    });
    const accountId = service.roblox.addUser({ username: newName() }).id;
    groups().add(group.id);
    service.roblox.setKey({ accountId });
    const codes = async () => {
      await checkGameKey();
      const { health } = (await guild.api.get(guild.path)).body;
      const [finding] = await checkRanking.run();
      const found = health.filter(({ code }: { code: string }) => code.startsWith('ranking_'));
      return { found, code: finding?.code };
    };
    return { guild, group, accountId, codes };
  }

  it('The doctor and the health of a server with the group name what the key lacks there', async () => {
    const { guild, group, accountId, codes } = await setUp(['changeRank']);
    expect(await codes(), 'another server').to.deep.equal({ found: [], code: 'ranking_outside' });
    expect((await unattachedFindings()).map(({ code }) => code)).to.deep.equal(['ranking_unattached']);
    await addGroup(guild.guild, systemActor('test'), group.id);
    expect(await unattachedFindings()).to.deep.equal([]);
    const steps: [code: string, change: () => void][] = [
      ['ranking_outside', () => undefined],
      ['ranking_rank_low', () => service.roblox.setRank(group.id, accountId, 5)],
      ['ranking_scope_missing', () => service.roblox.setKey({ scopes: ['group:read'] })],
    ];
    for (const [code, change] of steps) {
      change();
      const { found, code: ofDoctor } = await codes();
      expect([ofDoctor, found[0]?.code, found[0]?.severity, found[0]?.groupName]).to.deep.equal([
        code,
        code,
        'warning',
        'Pine Crew',
      ]);
      expect(found[0]?.detail).to.contain("of this bot's").and.to.contain('Tell whoever runs the bot');
    }
    service.roblox.mendKey();
    service.roblox.setRank(group.id, accountId, 100);
    expect(await codes()).to.deep.equal({ found: [], code: 'ranking_ok' });
  });

  it('An account without the permission is named, and no group is no finding', async () => {
    const { guild, group, accountId, codes } = await setUp([]);
    await addGroup(guild.guild, systemActor('test'), group.id);
    service.roblox.setRank(group.id, accountId, 100);
    expect((await codes()).found[0]?.code).to.equal('ranking_permission_missing');
    groups().clear();
    expect(await codes()).to.deep.equal({ found: [], code: 'ranking_off' });
  });
});
