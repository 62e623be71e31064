import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { z } from 'zod';
import { type DiscordSandbox, startDiscordSandbox } from '../../sandbox/discord/discord-sandbox.js';
import { freePort } from '../../sandbox/kit/free-port.js';
import { sandboxEnvironment } from '../../sandbox/kit/sandbox-environment.js';
import { type RobloxSandbox, startRobloxSandbox } from '../../sandbox/roblox/roblox-sandbox.js';
import { type StripeSandbox, startStripeSandbox } from '../../sandbox/stripe/stripe-sandbox.js';
import { noteEnvironment } from '../../support/log-canaries.js';
import { removeFolder } from '../../support/remove-folder.js';

const program = fileURLToPath(new URL('../../../src/edges/cli/run-doctor.js', import.meta.url));
const billingEvents = ['checkout.session.completed', 'invoice.paid', 'invoice.payment_failed'].concat(
  ['created', 'updated', 'deleted'].map((act) => `customer.subscription.${act}`),
);

let discord: DiscordSandbox;
let roblox: RobloxSandbox;
let stripe: StripeSandbox;
let alive: Server;
let dataDir: string;
let healthy: Record<string, string>;

/** Gives each test sandboxes and an environment in which nothing is wrong. */
function withHealthySetUp(): void {
  beforeEach(async () => {
    [discord, roblox, stripe] = await Promise.all([startDiscordSandbox(), startRobloxSandbox(), startStripeSandbox()]);
    const port = await freePort();
    const publicUrl = `http://localhost:${port}`;
    alive = createServer((_request, response) => response.end('{"status":"alive"}')).listen(port, '127.0.0.1');
    dataDir = await mkdtemp(join(tmpdir(), 'rolelink-doctor-'));
    discord.registerRedirectUri(`${publicUrl}/api/auth/callback`);
    discord.addGuild({ name: 'In order', ownerId: discord.addUser({ username: 'owner' }).id });
    stripe.registerWebhook(`${publicUrl}/api/billing/webhook`, billingEvents);
    healthy = { ...sandboxEnvironment(discord, roblox, stripe), PORT: String(port), DATA_DIR: dataDir };
    noteEnvironment(healthy);
  });
  afterEach(async () => {
    alive.close();
    await Promise.all([discord.stop(), roblox.stop(), stripe.stop(), removeFolder(dataDir)]);
  });
}

/** Runs the program in this environment and no other; `options` are Node's. */
const examine = (
  env: Record<string, string>,
  options: string[] = [],
): Promise<{ code: number; out: string; err: string }> =>
  new Promise((resolve) => {
    execFile(process.execPath, [...options, program], { env, cwd: tmpdir() }, (error, out, err) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, err });
    });
  });

/** Faults that exist in one run: each has its own finding, with its code and remedy. */
interface Broken {
  faults: string;
  env?: Record<string, string>;
  breaks?: () => void;
  /** The module that Node runs before the program. */
  preload?: string;
  /** The findings in order: `✘` for a fault, `!` for a warning, and a remedy part. */
  tells: [mark: '✘' | '!', code: string, todo: string][];
}

const broken: Broken[] = [
  {
    faults: 'a bot token that Discord refuses',
    env: { DISCORD_TOKEN: 'MTAw.wrong.token' },
    tells: [['✘', 'discord_token_refused', 'Reset Token']],
  },
  {
    faults:
      'an intent that is off, a permission that the bot lacks in a server, Linked Roles of which Discord does not know, and a disk that fills up',
    env: { LINKED_ROLES: 'verified' },
    breaks: () => {
      discord.application.flags = 0;
      discord.addGuild({ name: 'Poor', ownerId: discord.addUser({ username: 'poor' }).id, botPermissions: 0n });
    },
    preload: `
      import fs from 'node:fs';
      import { syncBuiltinESMExports } from 'node:module';
      const statfs = fs.promises.statfs;
      fs.promises.statfs = async (path) => ({ ...(await statfs(path)), bsize: 1, bavail: 600_000_000 });
      syncBuiltinESMExports();`,
    tells: [
      ['!', 'discord_intent_off', 'Server Members Intent'],
      ['!', 'discord_permissions_missing', 'Server Settings'],
      ['!', 'linked_roles_not_registered', 'Start the service'],
      ['!', 'linked_roles_url_wrong', 'Linked Roles Verification URL: http://localhost'],
      ['!', 'disk_low', 'Free up space'],
    ],
  },
  {
    faults:
      'the id of another application, wrong secrets and keys, a price that Stripe does not know, and a database server that is not there',
    env: {
      DISCORD_CLIENT_ID: '100000000000000007',
      DISCORD_CLIENT_SECRET: 'wrong',
      ROBLOX_API_KEY: 'wrong',
      ROBLOX_CLIENT_SECRET: 'wrong',
      STRIPE_PRICE_PRO: 'price_gone',
      MONGODB_URI: 'mongodb://127.0.0.1:9/none',
    },
    tells: [
      ['✘', 'discord_client_id_wrong', 'Leave DISCORD_CLIENT_ID empty'],
      ['✘', 'discord_secret_wrong', 'Reset Secret'],
      ['✘', 'roblox_key_wrong', 'Create API Key'],
      ['✘', 'roblox_oauth_wrong', 'OAuth 2.0 Apps'],
      ['✘', 'stripe_price_unknown', 'Product catalog'],
      ['✘', 'database_unreachable', 'MONGODB_URI'],
    ],
  },
  {
    faults:
      'a redirect that is not registered, a Roblox key that has expired, a wrong Stripe key, and a clock that is off',
    env: { STRIPE_SECRET_KEY: 'sk_test_wrong' },
    breaks: () => {
      discord.application.redirectUris.pop();
      roblox.setKey({ expiresAt: new Date(0) });
    },
    preload: 'const now = Date.now; Date.now = () => now() + 120_000;',
    tells: [
      ['✘', 'discord_redirect_missing', 'Add Redirect: http://localhost'],
      ['✘', 'roblox_key_expired', 'Regenerate Key'],
      ['✘', 'stripe_key_wrong', 'API keys'],
      ['✘', 'clock_off', 'NTP'],
    ],
  },
  // ENV-91
  {
    faults: 'a bot that soon needs Discord’s review of its intent',
    breaks: () => {
      const reshape = (found: unknown) =>
        z
          .array(z.looseObject({}))
          .parse(found)
          .map((guild) => ({ ...guild, approximate_member_count: 8_000 }));
      discord.inject({ match: /^GET .*\/users\/@me\/guilds$/, reshape });
    },
    tells: [['!', 'discord_review_near', 'Apply for the review in time']],
  },
  {
    faults: 'a Roblox key without its permission, and a PUBLIC_URL that leads elsewhere',
    env: { PUBLIC_URL: 'http://127.0.0.1:9' },
    breaks: () => roblox.setKey({ scopes: ['group:write'] }),
    tells: [
      ['✘', 'discord_redirect_missing', 'Add Redirect: http://127.0.0.1:9'],
      ['✘', 'roblox_key_scope_missing', 'Access Permissions'],
      ['✘', 'stripe_webhook_missing', 'Webhooks'],
      ['✘', 'public_url_unreachable', 'DNS'],
    ],
  },
  {
    faults: 'a PUBLIC_URL without https',
    env: { PUBLIC_URL: 'http://link.example.invalid' },
    tells: [
      ['✘', 'discord_redirect_missing', 'Add Redirect'],
      ['✘', 'stripe_webhook_missing', 'Webhooks'],
      ['!', 'public_url_insecure', 'https'],
      ['✘', 'public_url_unreachable', 'DNS'],
    ],
  },
  {
    faults: 'a proxy that is not counted',
    env: { PUBLIC_URL: 'https://link.example.invalid' },
    tells: [
      ['✘', 'discord_redirect_missing', 'Add Redirect'],
      ['✘', 'stripe_webhook_missing', 'Webhooks'],
      ['!', 'trust_proxy_missing', 'TRUST_PROXY'],
      ['✘', 'public_url_unreachable', 'DNS'],
    ],
  },
];

describe('Set-ups in order', () => {
  withHealthySetUp();

  it('The doctor finds nothing wrong with a set-up in order, and makes no database', async () => {
    const { code, out, err } = await examine(healthy);
    expect(out)
      .to.contain('Nothing is broken.')
      .and.not.to.match(/^[✘!?]/m);
    expect({ code, err }).to.deep.equal({ code: 0, err: '' });
    expect(out).to.contain('the first start creates an embedded one');
    for (const name of ['DISCORD_TOKEN', 'DISCORD_CLIENT_SECRET', 'ROBLOX_API_KEY', 'STRIPE_SECRET_KEY']) {
      expect(out).not.to.contain(healthy[name] ?? '?');
    }
  });

  it('The doctor treats a part that is not set up as a choice', async () => {
    const { DISCORD_TOKEN = '', DISCORD_API_URL = '', PORT = '' } = healthy;
    const { code, out } = await examine({ DISCORD_TOKEN, DISCORD_API_URL, PORT, DATA_DIR: dataDir });
    expect(code).to.equal(0);
    const parts = [...out.matchAll(/^– ([^:]+):/gm)].map(([, part]) => part);
    const choices = ['Web sign-in', 'Linked Roles', 'Roblox key', 'Ranking', 'Roblox sign-in', 'Stripe'];
    expect(parts).to.deep.equal(choices);
  });
});

describe('Findings of the doctor', () => {
  withHealthySetUp();

  for (const { faults, env, breaks, preload, tells } of broken) {
    it(`The doctor names ${faults} and the remedy`, async () => {
      breaks?.();
      const options = preload === undefined ? [] : preloading(preload);
      const { code, out, err } = await examine({ ...healthy, ...env }, options);
      const told = [...out.matchAll(/^([✘!]) .* \[(\w+)\]\n {4}→ (.*)$/gm)].map(([, ...parts]) => parts);
      expect(
        told.map(([mark, name]) => [mark, name]),
        out,
      ).to.deep.equal(tells.map(([mark, name]) => [mark, name]));
      for (const [index, [, , todo]] of tells.entries()) expect(told[index]?.[2]).to.contain(todo);
      const faults = tells.filter(([mark]) => mark === '✘').length;
      expect(out).to.contain(faults === 0 ? 'Nothing is broken.' : `${faults} to fix.`);
      expect({ code, err }).to.deep.equal({ code: faults === 0 ? 0 : 1, err: '' });
    });
  }

  it('The doctor names every mistake of the environment', async () => {
    const { code, out } = await examine({ ...healthy, PORT: 'x', DISCORD_TOKEN: '' });
    expect(code).to.equal(1);
    expect(out).to.contain('PORT: must be').and.contain('DISCORD_TOKEN: is missing');
  });

  it('The doctor reports the checks that it could not make, and continues', async () => {
    await discord.stop();
    const { code, out } = await examine(healthy);
    expect(code).to.equal(0);
    expect(out.match(/^\? .*/gm)).to.have.length(5);
    expect(out).to.contain('✔ Stripe').and.contain("can't connect (ECONNREFUSED)").and.contain('firewall');
  });

  it('The doctor distinguishes a failing Discord from an unreachable one', async () => {
    discord.inject({ match: /./, status: 503 });
    const { out } = await examine(healthy);
    expect(out).to.contain('It answers 503').and.not.contain("can't connect");
  });

  it('The doctor tries the port and the folder that the start would use', async () => {
    alive.close();
    const other = createServer((_request, response) => response.end('something else'));
    await once(other.listen(Number(healthy.PORT), '127.0.0.1'), 'listening');
    const file = join(dataDir, 'file');
    await writeFile(file, '');
    const { code, out } = await examine({ ...healthy, DATA_DIR: join(file, 'data') });
    other.close();
    expect(code).to.equal(1);
    expect(out).to.contain('[port_unusable]').and.contain('EADDRINUSE');
    expect(out).to.contain('[database_unreachable]').and.contain(`${file} (DATA_DIR) isn't a folder`);
  });

  it('The doctor recognises a key or token of another kind, and names the folder without a .env file', async () => {
    const wrong = {
      DISCORD_TOKEN: 'Bot MTAw.token',
      STRIPE_SECRET_KEY: 'pk_test_1',
      STRIPE_WEBHOOK_SECRET: 'sk_test_1',
    };
    const { code, out } = await examine({ ...healthy, ...wrong });
    expect(code).to.equal(1);
    expect(out).to.contain('DISCORD_TOKEN: must be the token only').and.contain('is a publishable key (pk_…)');
    expect(out)
      .to.contain('STRIPE_WEBHOOK_SECRET: is an API key')
      .and.contain(`There is no file ${join(tmpdir(), '.env')}`);
  });

  // ENV-3
  it('The doctor points out a mistyped variable name', async () => {
    const { ROBLOX_API_KEY: key = '', ...rest } = healthy;
    const { out } = await examine({ ...rest, ROBLOX_APIKEY: key });
    expect(out).to.contain('[variable_mistyped]').and.contain('ROBLOX_API_KEY is');
  });
});

/** Node's options for a process that runs this code before ours. */
function preloading(code: string): string[] {
  return ['--import', `data:text/javascript,${encodeURIComponent(code)}`];
}
