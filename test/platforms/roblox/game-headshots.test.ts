import { expect } from 'chai';
import { readHeadshot } from '../../../src/platforms/roblox/game-headshots.js';
import { useRobloxSandbox } from './roblox-setup.js';

describe('head pictures of Roblox accounts', () => {
  const roblox = useRobloxSandbox();

  it('are found by the account', async () => {
    const { id } = roblox().addUser({ username: 'Pictured' });
    expect(await readHeadshot(id)).to.match(new RegExp(`^http.*${id}`));
  });

  it('are none where Roblox has none, and nobody waits for them while it is away', async () => {
    for (const id of ['4999999999', 'none', '']) expect(await readHeadshot(id)).to.equal(null);
    const { id } = roblox().addUser({ username: 'Hidden' });
    roblox().inject({ match: /thumbnails/, status: 503 });
    expect(await readHeadshot(id)).to.equal(null);
  });
});
