import { expect } from 'chai';
import { loadConfig } from '../../src/config/config.js';
import { mistypedNames, parseDotEnv } from '../../src/lib/environment-file.js';
import { ConfigError } from '../../src/lib/start-error.js';

// ENV-2
describe('The environment file', () => {
  const text = 'DISCORD_TOKEN=a.b.c\r\nPLATFORM_ADMINS=1 # é\r\n';
  const utf16 = Buffer.from(text, 'utf16le');
  const files = {
    'UTF-8': Buffer.from(text),
    'UTF-8 with a byte order mark': Buffer.from(`\ufeff${text}`),
    'UTF-16 as Windows writes it': Buffer.from(`\ufeff${text}`, 'utf16le'),
    'UTF-16 without a mark': utf16,
    'UTF-16, big end first': Buffer.from(`\ufeff${text}`, 'utf16le').swap16(),
  };
  for (const [encoding, bytes] of Object.entries(files)) {
    it(`An environment file is read in ${encoding}`, () => {
      expect(parseDotEnv(bytes, '/x/.env')).to.deep.equal({ DISCORD_TOKEN: 'a.b.c', PLATFORM_ADMINS: '1' });
    });
  }

  it('An environment file in another encoding is refused, with its path and the remedy', () => {
    const latin1 = Buffer.from('DISCORD_TOKEN=a\n# é\n', 'latin1');
    expect(() => parseDotEnv(latin1, '/x/.env')).to.throw(ConfigError, '/x/.env is not in UTF-8. Save it anew');
  });

  // ENV-3
  it('An unknown name in the environment file is reported with the probable one', () => {
    const read = ['ROBLOX_API_KEY', 'DISCORD_TOKEN', 'PORT', 'HOST', 'STRIPE_PRICE_PRO'];
    const meant = (...names: string[]) => mistypedNames(names, read).map(([, name]) => name);
    for (const name of ['ROBLOX_APIKEY', 'roblox_api_key', 'ROBLOX-API-KEY', 'ROBLX_API_KEY', 'ROBLOX_API_KEYS'])
      expect(meant(name), name).to.deep.equal(['ROBLOX_API_KEY']);
    expect(meant('DISCORD_TOEKN')).to.deep.equal(['DISCORD_TOKEN']);
    expect(meant('PORTS', 'GHOST', 'PATH', 'HOME', 'DISCORD_TOKEN_OLD', 'STRIPE_PRICE')).to.deep.equal([]);
    expect(meant('ROBLOX_APIKEY', 'ROBLOX_API_KEY')).to.deep.equal([]);
  });

  // ENV-3
  it('An environment file is refused with its mistyped names next to the other mistakes, and with the missing variables of Stripe', () => {
    const refused = () =>
      loadConfig({ DISCORD_TOKN: 'a', STRIPE_SECRET_KEY: 'sk_test_a', STRIPE_PRICE_PRO: 'price_a' });
    expect(refused).to.throw(ConfigError, 'DISCORD_TOKN: is not read; DISCORD_TOKEN is');
    expect(refused).to.throw(ConfigError, 'missing: STRIPE_WEBHOOK_SECRET, STRIPE_PRICE_ENTERPRISE');
  });
});
