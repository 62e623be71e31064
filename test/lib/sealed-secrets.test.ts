import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { z } from 'zod';
import { config } from '../../src/config/config.js';
import { type SealFor, seal, sealWith, unseal } from '../../src/lib/sealed-secrets.js';

const shape = z.object({ secret: z.string() });
const mine: SealFor = { purpose: 'webhook-endpoint', salt: 'whk_1' };

const isRefused = (sealed: string, sealFor: SealFor): Promise<boolean> =>
  unseal(shape, sealed, sealFor).then(
    () => false,
    () => true,
  );

describe('Sealed secrets', () => {
  it('A seal returns the sealed text, and shows nothing of it', async () => {
    const content = { secret: 'whsec_😀 hidden' };
    const [first, second] = [await seal(content, mine), await seal(content, mine)];
    expect(await unseal(shape, first, mine)).to.deep.equal(content);
    expect(first).not.to.equal(second);
    expect(Buffer.from(first, 'base64url').toString('latin1')).not.to.contain('hidden');
  });

  it('A seal is opened by the same purpose, salt and SECRETS_KEY only, and unchanged', async () => {
    const sealed = await seal({ secret: 'x' }, mine);
    expect(await isRefused(sealed, mine)).to.equal(false);
    expect(await isRefused(sealed, { ...mine, salt: 'whk_2' })).to.equal(true);
    expect(await isRefused(sealed, { ...mine, purpose: 'verification' })).to.equal(true);
    expect(await isRefused(`${sealed.slice(0, -4)}AAAA`, mine)).to.equal(true);
    expect(await isRefused(await seal({ other: 'x' }, mine), mine)).to.equal(true);
    sealWith(randomBytes(32));
    try {
      expect(await isRefused(sealed, mine)).to.equal(true);
    } finally {
      sealWith(config().secretsKey);
    }
  });
});
