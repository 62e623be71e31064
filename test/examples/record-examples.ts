import { writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import { config, useConfig } from '../../src/config.js';
import { operationIdOf } from '../../src/edges/http/openapi.js';
import type { Example } from '../../src/edges/http/openapi-examples.js';
import type { Route } from '../../src/edges/http/route.js';
import { clock } from '../../src/lib/clock.js';
import { type Answer, allRoutes, type HttpSide, sessionHeaders, startHttp } from '../edges/http/http-setup.js';
import {
  admitted,
  type FilledGuild,
  fillGuild,
  isPage,
  parametersOf,
  pathTo,
  validBody,
} from '../edges/http/walk-setup.js';
import { signRobloxWebhook } from '../sandbox/roblox/webhook-signature.js';
import { buildGuild, eventually } from '../support/build.js';
import { world } from '../support/world.js';
import { Tidying } from './tidy-example.js';

// `npm run examples`: calls every operation once against the sandbox, and keeps what was asked and answered for the
// OpenAPI document.

const file = 'src/edges/http/openapi-examples.json';

/** What comes last, and in this order, since it ends what others need; everything else comes before. */
const last = [
  'POST /api/verification/complete',
  'POST /api/verification/retry',
  'PATCH /api/guilds/:guildId/team/:memberId',
  'DELETE /api/guilds/:guildId/team/:memberId',
  'DELETE /api/guilds/:guildId/resync/:jobId',
  'DELETE /api/guilds/:guildId/webhooks/:webhookId',
  'DELETE /api/guilds/:guildId/mappings/:mappingId',
  'DELETE /api/guilds/:guildId/groups/:groupId',
  'DELETE /api/guilds/:guildId/tokens/:tokenId',
  'DELETE /api/guilds/:guildId/members/:memberId/link',
  'DELETE /api/verification/unlink',
  'POST /api/admin/guilds/:guildId/suspend',
  'POST /api/admin/guilds/:guildId/unsuspend',
  'POST /api/auth/logout',
  'POST /api/auth/logout-everywhere',
  'DELETE /api/auth/me',
];

interface Change {
  headers?: Record<string, string>;
  body?: unknown;
  ids?: Record<string, string>;
}

/** What single operations need beforehand, or need otherwise than the walk gives it. */
const preparations: Record<string, (guild: FilledGuild) => Promise<Change>> = {
  async 'POST /api/billing/webhook'() {
    const { stripe } = await world();
    const body = stripe.events.all[0]?.body ?? '';
    return { body, headers: { 'stripe-signature': stripe.events.sign(body) } };
  },
  async 'POST /api/privacy/roblox-webhook'() {
    const { roblox } = await world();
    const body = JSON.stringify({ EventType: 'SampleNotification', EventTime: clock.now() });
    return { body, headers: { 'roblox-signature': signRobloxWebhook(body, roblox.webhookSecret) } };
  },
  async 'POST /api/verification/complete'({ ids, bodies, token }) {
    const { roblox } = await world();
    const http = await startHttp();
    const read = await http.send('GET', `/api/verification/session/${ids.token}`, { headers: await token('owner') });
    await http.close();
    const game = roblox.addUser({ username: 'Somebody' });
    roblox.setAbout(game.id, read.json.phrase);
    return { body: bodies['POST /api/verification/complete'] };
  },
  async 'POST /api/guilds/:guildId/verification/game-codes/redeem'({ guildId, member, token }) {
    const { roblox } = await world();
    await token('verifier');
    const http = await startHttp();
    const body = { guildId, method: 'game_code' };
    const begun = await http.send('POST', '/api/verification/session', { body, headers: member });
    await http.close();
    return { body: { code: begun.json.phrase, gameUserId: roblox.addUser({ username: 'Player' }).id } };
  },
  async 'DELETE /api/guilds/:guildId/resync/:jobId'({ guildId, token }) {
    const { discord } = await world();
    discord.inject({ match: new RegExp(`GET .*/guilds/${guildId}/members\\?`), delayMs: 3_000 });
    const http = await startHttp();
    const started = await http.send('POST', `/api/guilds/${guildId}/resync`, {
      body: {},
      headers: await token('owner'),
    });
    await http.close();
    return { ids: { jobId: started.json.jobId } };
  },
  'DELETE /api/verification/unlink': async ({ member }) => ({ headers: member }),
  async 'POST /api/guilds/:guildId/billing/checkout'() {
    const { guildId, ownerId } = await buildGuild();
    return { headers: await sessionHeaders(ownerId), ids: { guildId } };
  },
  'POST /api/guilds/:guildId/billing/portal': async ({ owner }) => ({ headers: owner }),
  'GET /api/auth/me': async ({ member }) => ({ headers: member }),
  'POST /api/auth/logout': async ({ ids }) => ({ headers: await sessionHeaders(ids.memberId ?? '') }),
  'POST /api/auth/logout-everywhere': async () => ({ headers: await sessionHeaders((await buildGuild()).ownerId) }),
};

const rankOf = ({ name, method }: Route): number =>
  last.includes(name) ? last.indexOf(name) + 1 : method === 'GET' ? 0 : -1;

describe('the examples of the OpenAPI document', () => {
  let http: HttpSide;
  before(async () => {
    http = await startHttp();
  });
  after(() => http.close());

  /** A guild that has bought its plan, since the walk buys one. */
  async function fillPayingGuild(): Promise<FilledGuild> {
    const guild = await fillGuild();
    const { stripe } = await world();
    useConfig({ ...config(), defaultPlan: 'free' });
    const path = `/api/guilds/${guild.guildId}/billing`;
    const { json } = await http.send('POST', `${path}/checkout`, { body: { plan: 'pro' }, headers: guild.owner });
    stripe.pay(json.url);
    await eventually(async () => (await http.send('GET', path, { headers: guild.owner })).json.plan === 'pro');
    return guild;
  }

  async function ask(route: Route, guild: FilledGuild): Promise<{ answer: Answer; asked: Example }> {
    const change = (await preparations[route.name]?.(guild)) ?? {};
    const { body } = { ...validBody(route, guild), ...change };
    const headers = change.headers ?? (await admitted(route, guild));
    const ids = { ...guild.ids, ...change.ids };
    const path = pathTo(route, { ...guild, ids });
    const query = route.name === 'DELETE /api/guilds/:guildId/groups/:groupId' ? '?cascade=true' : '';
    const answer = await http.send(route.method, path + query, { ...(body !== undefined && { body }), headers });
    const named = parametersOf(route).map((name) => [name, ids[name]]);
    const isDocumented = route.options.input?.body !== undefined;
    const asked = { path: Object.fromEntries(named), ...(isDocumented && { body }), status: answer.status };
    return { answer, asked };
  }

  it('are recorded', async () => {
    const { url, discord, roblox, stripe } = await world();
    const guild = await fillPayingGuild();
    const tidying = new Tidying({
      ...{ [url]: 'https://rolelink.example', [http.url]: 'https://rolelink.example' },
      ...{
        [discord.url]: 'https://discord.com',
        [roblox.url]: 'https://apis.roblox.com',
        [stripe.url]: 'https://checkout.stripe.com',
      },
    });
    const routes = allRoutes().filter((route) => !isPage(route));
    const examples: Record<string, Example> = {};
    const faults: string[] = [];
    for (const route of routes.toSorted((a, b) => rankOf(a) - rankOf(b))) {
      const { answer, asked } = await ask(route, guild);
      if (answer.status >= 400) faults.push(`${route.name}: ${answer.text}`);
      const body = route.name === 'GET /api/openapi.json' ? { openapi: answer.json.openapi } : answer.json;
      const text = answer.text === '' ? {} : { answer: body ?? answer.text };
      examples[operationIdOf(route)] = tidying.example({ ...asked, ...text });
    }
    expect(faults.join('\n')).to.equal('');
    const inOrder = Object.fromEntries(routes.map((route) => [operationIdOf(route), examples[operationIdOf(route)]]));
    await writeFile(file, `${JSON.stringify(inOrder, null, 2)}\n`);
  });
});
