import { homedir } from 'node:os';
import { expect } from 'chai';
import { config, loadConfig, useConfig } from '../../src/config/config.js';
import { sessionCookie } from '../../src/core/auth/session-cookie.js';
import { signInCookie } from '../../src/core/auth/sign-ins-under-way.js';
import { ConfigError } from '../../src/lib/start-error.js';

const needed = { DISCORD_TOKEN: 'token' };

/** The lines that name mistakes, as `NAME: mistake`. */
function mistakesIn(environment: Record<string, string>): string[] {
  try {
    loadConfig(environment);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const [title = '', ...lines] = error.message.split('\n');
    expect(title).to.equal(`The configuration has errors (${lines.length}):`);
    return lines.map((line) => line.trim());
  }
  return [];
}

describe('loadConfig', () => {
  it('The configuration needs only the bot’s token, and has the defaults of ENV-1', () => {
    expect(loadConfig(needed)).to.deep.equal({
      host: '127.0.0.1',
      port: 3000,
      publicUrl: 'http://localhost:3000',
      dataDir: './data',
      mongodbUri: '',
      logLevel: 'info',
      logReadably: false,
      secretsKey: undefined,
      botTokenKeys: undefined,
      platformAdmins: new Set(),
      defaultPlan: 'free',
      defaultReveal: 'auto',
      rankingGroups: new Set(),
      linkedRoles: [],
      shards: undefined,
      trustProxy: 0,
      metricsToken: undefined,
      peopleImport: {
        from: [],
        urls: {
          bloxlink: 'https://api.blox.link',
          rover: 'https://registry.rover.link',
          rowifi: 'https://api.rowifi.xyz',
        },
      },
      webhookDelivery: 'live',
      webhookAllowHttp: false,
      webhookAllowPrivate: false,
      discord: {
        token: 'token',
        clientId: undefined,
        clientSecret: undefined,
        apiUrl: 'https://discord.com/api',
      },
      roblox: {
        usersUrl: 'https://users.roblox.com',
        groupsUrl: 'https://groups.roblox.com',
        apisUrl: 'https://apis.roblox.com',
        thumbnailsUrl: 'https://thumbnails.roblox.com',
      },
      stripe: undefined,
      tracing: undefined,
    });
  });

  it('An empty value of the configuration counts as unset', () => {
    const names = ['PORT', 'HOST', 'PUBLIC_URL', 'MONGODB_URI', 'SECRETS_KEY', 'BOT_TOKEN_KEYS', 'PLATFORM_ADMINS'];
    const more = ['DEFAULT_PLAN', 'SHARDS', 'TRUST_PROXY', 'LOG_LEVEL', 'ROBLOX_CLIENT_ID', 'ROBLOX_API_KEY'];
    const empty = Object.fromEntries([...names, ...more].map((name, index) => [name, index % 2 === 0 ? '' : '  ']));
    expect(loadConfig({ ...empty, ...needed })).to.deep.equal(loadConfig(needed));
    expect(mistakesIn({ ...needed, DISCORD_TOKEN: '' })).to.deep.equal([
      'DISCORD_TOKEN: is missing: the bot token of the Discord application',
    ]);
  });

  it('The configuration reads every value', () => {
    const secret = 's:'.repeat(20);
    const read = loadConfig({
      ...needed,
      PORT: '8080',
      HOST: '::',
      PUBLIC_URL: 'https://link.example/',
      MONGODB_URI: 'mongodb+srv://db.example/rolelink',
      SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
      BOT_TOKEN_KEYS: `new:${secret}, old:${'o'.repeat(32)}`,
      PLATFORM_ADMINS: '100000000000000001, 100000000000000002',
      DEFAULT_PLAN: 'enterprise',
      DEFAULT_REVEAL: 'ask',
      SHARDS: '4-7/16',
      TRUST_PROXY: '2',
      METRICS_TOKEN: 'a-token-of-the-metrics',
      WEBHOOK_DELIVERY: 'held',
      WEBHOOK_ALLOW_HTTP: 'true',
      WEBHOOK_ALLOW_PRIVATE: 'true',
      DISCORD_CLIENT_ID: '100000000000000000',
      DISCORD_CLIENT_SECRET: 'secret',
      ROBLOX_CLIENT_ID: '5',
      ROBLOX_CLIENT_SECRET: 'r',
      ROBLOX_API_KEY: 'k',
      ROBLOX_WEBHOOK_SECRET: 'a-secret-of-webhooks',
      ROBLOX_USERS_URL: 'http://127.0.0.1:9/users/',
    });
    expect(read).to.deep.include({
      host: '::',
      port: 8080,
      publicUrl: 'https://link.example',
      mongodbUri: 'mongodb+srv://db.example/rolelink',
      botTokenKeys: [
        { kid: 'new', secret },
        { kid: 'old', secret: 'o'.repeat(32) },
      ],
      platformAdmins: new Set(['100000000000000001', '100000000000000002']),
      defaultPlan: 'enterprise',
      defaultReveal: 'ask',
      shards: { first: 4, last: 7, total: 16 },
      trustProxy: 2,
      metricsToken: 'a-token-of-the-metrics',
      webhookDelivery: 'held',
      webhookAllowHttp: true,
      webhookAllowPrivate: true,
    });
    expect(read.discord).to.include({ clientId: '100000000000000000', clientSecret: 'secret' });
    expect(read.roblox).to.deep.include({
      usersUrl: 'http://127.0.0.1:9/users',
      apiKey: 'k',
      webhookSecret: 'a-secret-of-webhooks',
      oauth: { clientId: '5', clientSecret: 'r' },
    });
  });
});

describe('loadConfig, of one platform', () => {
  // ENV-92
  it('The variables of OpenTelemetry are read as its specification says', () => {
    const endpoint = { ...needed, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318/' };
    expect(loadConfig(endpoint).tracing).to.deep.equal({
      ...{ endpoint: 'http://localhost:4318', headers: {}, resource: { 'service.name': 'rolelink' } },
    });
    const named = {
      OTEL_EXPORTER_OTLP_HEADERS: 'api-key=a%3Db , x=',
      OTEL_RESOURCE_ATTRIBUTES: 'service.name=a,region=eu',
      OTEL_SERVICE_NAME: 'links',
    };
    const { headers, resource } = loadConfig({ ...endpoint, ...named }).tracing ?? {};
    expect(headers).to.deep.equal({ 'api-key': 'a=b', x: '' });
    expect(resource).to.deep.equal({ 'service.name': 'links', region: 'eu' });
    for (const wrong of ['api-key', 'a=%', '=b', 'a=b,'])
      expect(mistakesIn({ ...endpoint, OTEL_EXPORTER_OTLP_HEADERS: wrong }).join()).to.contain('must look like name=');
  });

  // LINK-1, LINK-2, LINK-3
  it('LINKED_ROLES is read as a list of facts, and each mistake is explained', () => {
    const able = { ...needed, DISCORD_CLIENT_SECRET: 'secret', ROBLOX_API_KEY: 'key' };
    expect(
      loadConfig({ ...able, LINKED_ROLES: 'verified, rank:12=Rank in Crew,member_since:12' }).linkedRoles,
    ).to.deep.equal([
      { kind: 'verified', key: 'verified' },
      { kind: 'rank', key: 'rank_12', groupId: '12', name: 'Rank in Crew' },
      { kind: 'member_since', key: 'member_since_12', groupId: '12' },
    ]);
    const told = (LINKED_ROLES: string, environment: Record<string, string> = able) =>
      mistakesIn({ ...environment, LINKED_ROLES }).join();
    expect(told('verified,badge')).to.equal(
      'LINKED_ROLES: "badge" isn\'t one of verified, premium, account_age, rank, member_since',
    );
    expect(told('rank')).to.equal('LINKED_ROLES: rank needs the ID of a Roblox group: rank:1234567');
    expect(told('verified:12')).to.equal('LINKED_ROLES: verified takes no group');
    expect(told('rank:crew')).to.equal('LINKED_ROLES: "crew" isn\'t a Roblox group ID');
    expect(told(`verified=${'x'.repeat(101)}`)).to.contain('the name of verified must have 1 to 100 characters');
    expect(told('verified,verified')).to.equal('LINKED_ROLES: must not name a fact twice');
    expect(told('rank:1,rank:2,rank:3,rank:4,rank:5,rank:6')).to.equal('LINKED_ROLES: must name at most 5 facts');
    expect(told('verified,')).to.contain(`LINKED_ROLES: "" isn't one of`);
    expect(told('verified', { ...needed, ROBLOX_API_KEY: 'key' })).to.contain(
      'LINKED_ROLES: requires DISCORD_CLIENT_SECRET',
    );
    expect(told('premium', { ...needed, DISCORD_CLIENT_SECRET: 'secret' })).to.equal(
      'LINKED_ROLES: needs ROBLOX_API_KEY for premium and member_since',
    );
  });

  it('Stripe is on when all of its variables are set, with a plan for every price', () => {
    const stripe = {
      STRIPE_SECRET_KEY: 'sk_test_1',
      STRIPE_WEBHOOK_SECRET: 'whsec_1',
      STRIPE_PRICE_PRO: 'price_2, price_1',
      STRIPE_PRICE_ENTERPRISE: 'price_3',
    };
    expect(loadConfig({ ...needed, ...stripe }).stripe).to.deep.equal({
      secretKey: 'sk_test_1',
      webhookSecret: 'whsec_1',
      apiUrl: 'https://api.stripe.com',
      prices: { pro: ['price_2', 'price_1'], enterprise: ['price_3'] },
    });
    for (const name of Object.keys(stripe)) {
      expect(mistakesIn({ ...needed, ...stripe, [name]: '' })).to.deep.equal([
        `STRIPE_SECRET_KEY: ${Object.keys(stripe).join(', ')} go together; missing: ${name}`,
      ]);
    }
    expect(mistakesIn({ ...needed, ...stripe, STRIPE_PRICE_PRO: ' , ' })).to.deep.equal([
      'STRIPE_PRICE_PRO: must name at least one price',
    ]);
  });
});

describe('The mistakes that loadConfig explains', () => {
  it('The configuration explains all mistakes together', () => {
    const mistakes = mistakesIn({
      PORT: '70000',
      PUBLIC_URL: 'ftp://link.example',
      MONGODB_URI: 'http://db.example',
      LOG_LEVEL: 'loud',
      LOG_FORMAT: 'xml',
      SECRETS_KEY: 'short',
      BOT_TOKEN_KEYS: 'new:tooshort',
      PLATFORM_ADMINS: '100000000000000001,me',
      DEFAULT_PLAN: 'gold',
      DEFAULT_REVEAL: 'always',
      SHARDS: '3-1/2',
      TRUST_PROXY: 'yes',
      WEBHOOK_DELIVERY: 'off',
      WEBHOOK_ALLOW_HTTP: 'perhaps',
      DISCORD_CLIENT_ID: 'my-bot',
      DISCORD_API_URL: 'discord.com',
      ROBLOX_CLIENT_ID: '5',
    });
    expect(mistakes).to.deep.equal([
      'PORT: must be a port number',
      'PUBLIC_URL: must be an http(s) URL',
      'MONGODB_URI: must start with mongodb:// or mongodb+srv://',
      'LOG_LEVEL: must be trace, debug, info, warn, error or silent',
      'LOG_FORMAT: must be auto, text or json',
      'SECRETS_KEY: must be 32 bytes in base64',
      'BOT_TOKEN_KEYS: each key must be kid:secret, the secret at least 32 characters long',
      'PLATFORM_ADMINS: must be a Discord ID: a numeric string of 17 to 20 digits',
      'DEFAULT_PLAN: must be free, pro or enterprise',
      'DEFAULT_REVEAL: must be auto or ask',
      'SHARDS: must name a first shard up to the last, and a last shard below the total',
      'TRUST_PROXY: must be the number of proxies in front',
      'WEBHOOK_DELIVERY: must be held or live',
      'WEBHOOK_ALLOW_HTTP: must be true or false',
      'DISCORD_TOKEN: is missing: the bot token of the Discord application',
      'DISCORD_CLIENT_ID: must be a Discord ID: a numeric string of 17 to 20 digits',
      'DISCORD_API_URL: must be an http(s) URL',
      'ROBLOX_CLIENT_ID: ROBLOX_CLIENT_ID and ROBLOX_CLIENT_SECRET go together',
      'DISCORD_CLIENT_SECRET: is missing: signing in to Roblox requires signing in with Discord',
    ]);
  });

  // ENV-43
  it('Spaces and line ends around a value are dropped, and a secret that no platform could accept is refused by its name', () => {
    expect(loadConfig({ DISCORD_TOKEN: 'token\r\n', DATA_DIR: ' ./data\r' })).to.deep.equal(loadConfig(needed));
    const wrong = { DISCORD_TOKEN: '“token”', ROBLOX_API_KEY: 'ke\u0007y', METRICS_TOKEN: "'a-token-of-the-metrics'" };
    expect(
      mistakesIn({
        ...wrong,
        DISCORD_CLIENT_SECRET: 'sécret',
        BOT_TOKEN_KEYS: `a:${'x'.repeat(32)}\nb:${'y'.repeat(32)}`,
      }),
    ).to.deep.equal([
      'METRICS_TOKEN: has quotes around it: write the value without quotes',
      'DISCORD_TOKEN: contains typographic quotes: write the value without quotes',
      'DISCORD_CLIENT_SECRET: contains a letter outside ASCII: copy the value again',
      'ROBLOX_API_KEY: contains a line break or another control character: copy the value again',
    ]);
  });

  it('The home folder’s ~ and a version in Discord’s address are refused with the value to write', () => {
    expect(mistakesIn({ ...needed, DATA_DIR: '~/data' })).to.deep.equal([
      `DATA_DIR: must be written out: only a shell replaces ~ by ${homedir()}`,
    ]);
    expect(mistakesIn({ ...needed, DISCORD_API_URL: 'https://discord.com/api/v10/' })).to.deep.equal([
      'DISCORD_API_URL: must end before the version, such as https://discord.com/api',
    ]);
  });

  // ENV-1, ENV-3
  it('A mistyped name is pointed out beside the right one without a value', () => {
    expect(mistakesIn({ DISCORD_TOKEN: '', DISCORD_TOKN: 'token' })).to.include(
      'DISCORD_TOKN: is not read; DISCORD_TOKEN is',
    );
  });

  const refused: [string, string][] = [
    ['PORT', '-1'],
    ['PORT', '1.5'],
    ['PUBLIC_URL', 'https://link.example/rolelink'],
    ['PUBLIC_URL', 'https://link.example?x=1'],
    ['PUBLIC_URL', 'https://user:pass@link.example'],
    ['SECRETS_KEY', Buffer.alloc(31).toString('base64')],
    ['SECRETS_KEY', '!'.repeat(44)],
    ['BOT_TOKEN_KEYS', ', ,'],
    ['BOT_TOKEN_KEYS', `a:${'x'.repeat(32)},a:${'y'.repeat(32)}`],
    ['SHARDS', '0-0/0'],
    ['SHARDS', '0-4/4'],
    ['SHARDS', '1'],
    ['TRUST_PROXY', '11'],
    ['ROBLOX_CLIENT_SECRET', 'alone'],
  ];

  for (const [name, value] of refused) {
    it(`The configuration refuses ${name}=${value}`, () => {
      const mistakes = mistakesIn({ ...needed, [name]: value });
      expect(mistakes).to.have.length(1);
      expect(mistakes[0]).to.match(name.startsWith('ROBLOX') ? /^ROBLOX_CLIENT_ID: / : new RegExp(`^${name}: `));
    });
  }

  it('A refusal of the configuration never repeats a secret', () => {
    const secret = 'hunter2hunter2';
    const text = mistakesIn({
      ...needed,
      SECRETS_KEY: secret,
      BOT_TOKEN_KEYS: `a:${secret}`,
      MONGODB_URI: secret,
    }).join();
    expect(text).not.to.equal('').and.not.to.contain('hunter2');
  });
});

describe('PUBLIC_URL', () => {
  // AUTH-7, AUTH-8, AUTH-12
  it('PUBLIC_URL decides whether cookies are secure', async () => {
    const current = config();
    try {
      useConfig({ ...current, publicUrl: 'https://link.example' });
      expect(sessionCookie('abc')).to.equal(
        '__Host-rolelink_session=abc; Path=/; Max-Age=2592000; HttpOnly; SameSite=Lax; Secure',
      );
      expect(await signInCookie([])).to.match(
        /^__Host-rolelink_sign_in=[\w.-]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/,
      );
      useConfig({ ...current, publicUrl: 'http://link.example' });
      expect(sessionCookie('abc')).to.equal('rolelink_session=abc; Path=/; Max-Age=2592000; HttpOnly; SameSite=Lax');
    } finally {
      useConfig(current);
    }
  });
});
