import { expect } from 'chai';
import { killDeliveries } from './delivery-kills.js';

// HOOK-11
describe('Deliveries of a killed process', () => {
  it('Deliveries of a killed process all arrive with the same ids and bytes, twice only those under way', async () => {
    const { kills, repeated, ...seen } = await killDeliveries(300, 4);
    expect(seen).to.deep.equal({ delivered: 300, lost: 0, unexplained: 0, altered: 0 });
    expect(kills).to.equal(4);
    expect(repeated).to.be.within(1, 4 * 16);
  });
});
