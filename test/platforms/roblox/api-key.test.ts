import { expect } from 'chai';
import { readKeyState } from '../../../src/platforms/roblox/api-key.js';
import { configureRoblox } from '../../../src/platforms/roblox/roblox-config.js';
import { sendJson, startScriptedRoblox, useQuiet } from './roblox-setup.js';

// PUSH-10
describe('The experiences of a Roblox key', () => {
  useQuiet();

  const mayBeTold = async (universeIds: unknown): Promise<unknown[]> => {
    const scope = { name: 'universe-messaging-service', operations: ['publish'], universeIds };
    const roblox = await startScriptedRoblox((_, response) =>
      sendJson(response, { authorizedUserId: 1, scopes: [scope], enabled: true, expired: false }),
    );
    configureRoblox({ ...roblox.config, apiKey: 'key' });
    try {
      const key = await readKeyState();
      return [key?.fault, key?.maySendTo('7'), key?.maySendTo('8')];
    } finally {
      await roblox.stop();
    }
  };

  it('A key for some experiences may send to these alone, and one for all to each', async () => {
    for (const [universeIds, seven, eight] of [
      [['7'], true, false],
      [[7], true, false],
      [['*'], true, true],
      [null, true, true],
      [undefined, true, true],
    ] as const) {
      expect((await mayBeTold(universeIds)).slice(1), JSON.stringify(universeIds)).to.deep.equal([seven, eight]);
    }
  });

  it('A list of experiences in an unknown form leaves the check of the key as it is, and refuses none', async () => {
    const [known] = await mayBeTold(['*']);
    for (const universeIds of ['7', { ids: ['7'] }, [{ id: '7' }], 7]) {
      expect(await mayBeTold(universeIds), JSON.stringify(universeIds)).to.deep.equal([known, true, true]);
    }
  });
});
