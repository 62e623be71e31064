import { expect } from 'chai';
import { readPublicMemberships } from '../../../src/platforms/roblox/public-memberships.js';
import { configureRoblox } from '../../../src/platforms/roblox/roblox-config.js';
import { expectUnavailable, sendJson, startScriptedRoblox, useQuiet } from './roblox-setup.js';

describe('readPublicMemberships', () => {
  useQuiet();

  const answering = async <T>(body: unknown, run: (requests: string[]) => Promise<T>) => {
    const roblox = await startScriptedRoblox((_, response) => sendJson(response, body));
    configureRoblox(roblox.config);
    try {
      return await run(roblox.requests);
    } finally {
      await roblox.stop();
    }
  };
  const entry = (id: number, rank: number) => ({ group: { id: 7, name: 'G' }, role: { id, name: `R${id}`, rank } });

  it('readPublicMemberships takes all entries of one group for roles of that member', async () => {
    const held = await answering({ data: [entry(70, 1), entry(71, 9)] }, () => readPublicMemberships('1'));
    expect(held?.get('7')?.map(({ gameRoleId, rank }) => [gameRoleId, rank])).to.deep.equal([
      ['70', 1],
      ['71', 9],
    ]);
  });

  it('readPublicMemberships sends the three arguments that Roblox marks as required, locked groups included', async () => {
    await answering({ data: [] }, async (requests) => {
      await readPublicMemberships('1');
      expect(requests).to.deep.equal([
        '/v2/users/1/groups/roles?includeLocked=true&includeNotificationPreferences=false&discoveryType=0',
      ]);
    });
  });

  it('readPublicMemberships refuses answers without a list, and entries without a role', async () => {
    for (const body of [{}, { data: null }, { data: [{ group: { id: 7 } }] }, { data: [entry(70, 300)] }]) {
      await answering(body, () => expectUnavailable(readPublicMemberships('1', { totalMs: 1_000, attempts: 1 })));
    }
  });
});
