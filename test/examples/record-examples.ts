import { writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import { operationIdOf } from '../../src/edges/http/openapi/openapi.js';
import type { Example } from '../../src/edges/http/openapi/openapi-examples.js';
import type { Route } from '../../src/edges/http/route.js';
import { type Answer, allRoutes, type HttpSide, startHttp } from '../edges/http/http-setup.js';
import { admitted, type FilledGuild, isPage, parametersOf, pathTo, validBody } from '../edges/http/walk-setup.js';
import { withPromptSyncs } from '../support/background.js';
import { world } from '../support/world.js';
import { fillPayingGuild, preparations } from './preparations.js';
import { Tidying } from './tidy-example.js';

// `npm run examples`: calls every operation once against the sandbox, and keeps what was asked and answered for the
// OpenAPI document.

const file = 'src/edges/http/openapi/openapi-examples.json';

/** The last operations, in this order, since they end data that others need; all others come before. */
const last = [
  'PUT /api/auth/me/accounts/:gameUserId',
  'DELETE /api/auth/me/accounts/:gameUserId',
  'POST /api/verification/retry',
  'POST /api/verification/complete',
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

const rankOf = ({ name, method }: Route): number =>
  last.includes(name) ? last.indexOf(name) + 1 : method === 'GET' ? 0 : -1;

describe('The examples of the OpenAPI document', () => {
  withPromptSyncs();
  let http: HttpSide;
  before(async () => {
    http = await startHttp();
  });
  after(() => http.close());

  async function ask(route: Route, guild: FilledGuild): Promise<{ answer: Answer; asked: Example }> {
    const change = (await preparations[route.name]?.(guild)) ?? {};
    const { body } = { ...validBody(route, guild), ...change };
    const headers = change.headers ?? (await admitted(route, guild));
    const ids = { ...guild.ids, ...change.ids };
    const path = pathTo(route, { ...guild, ids });
    const query = route.name === 'DELETE /api/guilds/:guildId/groups/:groupId' ? '?cascade=true' : '';
    const answer = await http.send(route.method, path + query, { ...(body !== undefined && { body }), headers });
    change.afterwards?.();
    const named = parametersOf(route).map((name) => [name, ids[name]]);
    const isDocumented = route.options.input?.body !== undefined;
    const asked = { path: Object.fromEntries(named), ...(isDocumented && { body }), status: answer.status };
    return { answer, asked };
  }

  it('The examples of the OpenAPI document are recorded', async () => {
    const { url, discord, roblox, stripe } = await world();
    const guild = await fillPayingGuild(http);
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
