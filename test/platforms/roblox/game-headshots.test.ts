import { expect } from 'chai';
import { clock } from '../../../src/lib/clock.js';
import { hourMs } from '../../../src/lib/time.js';
import { readHeadshot, readHeadshots } from '../../../src/platforms/roblox/game-headshots.js';
import { useRobloxSandbox } from './roblox-setup.js';

describe('Head pictures of Roblox accounts', () => {
  const roblox = useRobloxSandbox();

  it('readHeadshot finds the head picture of an account', async () => {
    const { id } = roblox().addUser({ username: 'Pictured' });
    expect(await readHeadshot(id)).to.match(new RegExp(`^http.*${id}`));
  });

  it('readHeadshots finds the pictures of many accounts in one call, and asks once an hour', async () => {
    const ids = ['Ada', 'Ben', 'Cem'].map((username) => roblox().addUser({ username }).id);
    roblox().forgetRequests();
    expect([...(await readHeadshots([...ids, ...ids, 'none'])).keys()]).to.deep.equal(ids);
    expect((await readHeadshots(ids.slice(1))).size).to.equal(2);
    expect(roblox().requests).to.have.length(1);
    await clock.advance(hourMs + 1);
    await readHeadshots(ids);
    expect(roblox().requests).to.have.length(2);
  });

  it('readHeadshot returns null where Roblox has no picture or is away', async () => {
    for (const id of ['4999999999', 'none', '']) expect(await readHeadshot(id)).to.equal(null);
    const { id } = roblox().addUser({ username: 'Hidden' });
    roblox().inject({ match: /thumbnails/, status: 503 });
    expect(await readHeadshot(id)).to.equal(null);
  });
});
