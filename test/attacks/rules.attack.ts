import type { LookupAddress } from 'node:dns';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { parse } from 'csv-parse/sync';
import { request } from 'undici';
import { config, useConfig } from '../../src/config/config.js';
import { createRateLimits } from '../../src/edges/http/rate-limits.js';
import { Mappings } from '../../src/features/mappings/mapping-model.js';
import { targetDispatcher } from '../../src/features/webhooks/target-guard.js';
import { expectProblem, type HttpSide, sessionHeaders, startHttp, tokenHeaders } from '../edges/http/http-setup.js';
import { buildRole } from '../features/mappings/roles-setup.js';
import { buildTeammate } from '../features/team/team-setup.js';
import { forbiddenHosts } from '../features/webhooks/forbidden-hosts.js';
import { type Api, asPerson } from '../support/api.js';
import { buildGuild, buildPerson, type TestGuild, tokenFor } from '../support/build.js';
import { world } from '../support/world.js';
import { Onslaught } from './tally.js';

describe('Every door, under attack', () => {
  let guild: TestGuild;
  let owner: Api;
  let existing: string;

  before(async () => {
    guild = await buildGuild();
    owner = await asPerson({ chatUserId: guild.ownerId, username: 'owner' });
    const free = await buildRole(guild, { name: 'Free' });
    const { body } = await owner.post(`${guild.path}/mappings`, { condition: { type: 'verified' }, roleIds: [free] });
    existing = body.mappingId;
  });

  /** Every door through which a mapping comes, and how it is tried there by a caller. */
  const doors: Record<string, (roleId: string, as: Api) => Promise<unknown>> = {
    'POST mappings': (roleId, as) => as.post(`${guild.path}/mappings`, draft(roleId)),
    'PUT a mapping': (roleId, as) => as.put(`${guild.path}/mappings/${existing}`, draft(roleId)),
    'an import': (roleId, as) => as.post(`${guild.path}/mappings/import`, { mappings: [draft(roleId)], dryRun: false }),
    'an import as CSV': (roleId, as) => {
      const text = `name,condition,group,min,max,gameRole,roles\nx,verified,,,,,${roleId}`;
      return as.post(`${guild.path}/mappings/import`, { format: 'csv', text, dryRun: false });
    },
    'the configuration': async (roleId, as) => {
      const { body } = await owner.get(`${guild.path}/config`);
      const mappings = [{ condition: { type: 'verified' }, roles: [roleId] }];
      return as.put(`${guild.path}/config`, Object.assign({}, body, { mappings }));
    },
    'a preview': (roleId, as) => as.post(`${guild.path}/sync/preview`, { mappings: [draft(roleId)] }),
  };
  const draft = (roleId: string) => ({ condition: { type: 'verified' }, roleIds: [roleId] });
  const isMapped = async (roleId: string) =>
    (await Mappings.find({ guildId: guild.guildId })).some(({ roleIds }) => roleIds.includes(roleId));

  it('No door maps a role that may not be mapped', async () => {
    const attack = new Onslaught('every door against the rules of roles');
    const { discord } = await world();
    const [other, manager, admin] = [
      await buildGuild(),
      await buildTeammate(guild, 'manager'),
      await buildTeammate(guild, 'admin'),
    ];
    for (const { chatUserId } of [manager, admin]) discord.join(guild.guildId, chatUserId);
    const foreign = discord.addRole(other.guildId, { name: 'Foreign' }).id;
    const forNobody: [string, string][] = [
      ['everybody’s', guild.guildId],
      ['a bot’s', await buildRole(guild, { name: 'Managed', managed: true })],
      ['the bot’s own', discord.botRole(guild.guildId).id],
      ['of another server', foreign],
      ['no', '100000000000000099'],
    ];
    const low = await buildRole(guild, { name: 'Low' });
    const dangerous = await buildRole(guild, { name: 'Dangerous', permissions: 8n });
    const tries: [string, string, Api][] = [
      ...forNobody.map(([what, roleId]): [string, string, Api] => [`${what} role by the owner`, roleId, owner]),
      ['a dangerous role by a manager', dangerous, manager.api],
      ['a role above their own by an admin', low, admin.api],
      ['a role above their own by a manager', low, manager.api],
    ];
    for (const [what, roleId, as] of tries) {
      for (const [door, attempt] of Object.entries(doors)) {
        await attack.try(`${what}, through ${door}`, async () => {
          const answer = (await attempt(roleId, as)) as Awaited<ReturnType<Api['get']>>;
          const { status, body } = answer;
          // An import refuses line by line, and a preview warns about roles that stay unchanged.
          if (status < 300 && door.includes('import')) expect(body.created).to.deep.equal([]);
          else if (status < 300 && door !== 'a preview') throw new Error(`answered ${status}`);
          expect(await isMapped(roleId)).to.equal(false);
        });
      }
    }
    attack.end();
  });
});

describe('Webhook targets, under attack', () => {
  let usual: ReturnType<typeof config>;
  let server: Server;
  let connections = 0;

  before(async () => {
    usual = config();
    useConfig({ ...usual, webhookAllowHttp: false, webhookAllowPrivate: false });
    server = createServer((_, answer) => answer.end());
    server.on('connection', () => {
      connections += 1;
    });
    await new Promise<void>((listening) => server.listen(0, '::', listening));
  });
  after(() => {
    useConfig(usual);
    server.close();
  });

  it('No door accepts a webhook target that is not public, in any spelling', async () => {
    const attack = new Onslaught('addresses of webhooks');
    const { token, path } = await buildGuild();
    const http = await startHttp();
    const headers = tokenHeaders(token);
    const events = ['guild.suspended'];
    const first = { url: 'https://example.com/hook', events };
    const made = await http.send('POST', `${path}/webhooks`, { body: first, headers });
    expect(made.status, made.text).to.equal(201);
    const spellings = forbiddenHosts.flatMap((host) => [`https://${host}/`, `https://${host}:8443/a`]);
    const others = ['http://example.com/', 'https://a:b@example.com/', 'ftp://example.com/', 'file:///etc/passwd'];
    for (const url of [
      ...spellings,
      ...others,
      'gopher://x',
      'https://',
      '//example.com',
      'https:example.com#x',
      'x',
    ]) {
      await attack.try(`POST ${url}`, async () =>
        expect((await http.send('POST', `${path}/webhooks`, { body: { url, events }, headers })).status).to.equal(400),
      );
      await attack.try(`PATCH ${url}`, async () =>
        expect(
          (await http.send('PATCH', `${path}/webhooks/${made.json.webhookId}`, { body: { url }, headers })).status,
        ).to.equal(400),
      );
    }
    const { data } = (await http.send('GET', `${path}/webhooks`, { headers })).json;
    await http.close();
    expect(data.map(({ url }: { url: string }) => url)).to.deep.equal(['https://example.com/hook']);
    attack.end();
  });

  it('A webhook reaches no private address from a name server', async () => {
    const attack = new Onslaught('answers of name servers');
    const { port } = server.address() as AddressInfo;
    const good: LookupAddress = { address: '93.184.216.34', family: 4 };
    const four = (address: string): LookupAddress => ({ address, family: 4 });
    const six = (address: string): LookupAddress => ({ address, family: 6 });
    const answers: LookupAddress[][] = [
      ...[[four('127.0.0.1')], [good, four('127.0.0.1')], [four('10.0.0.1'), good], [good, six('::1')], []],
      ...[[six('::ffff:7f00:1')], [four('169.254.169.254')], [six('fe80::1%lo')], [four('')], [four('0.0.0.0')]],
      ...[[six('::')], [six('64:ff9b::7f00:1')], [four('100.64.0.1')], [six('fd00:ec2::254')], [four('not an ip')]],
    ];
    for (const answer of answers) {
      await attack.try(JSON.stringify(answer), async () => {
        const rules = { webhookAllowHttp: true, webhookAllowPrivate: false };
        const dispatcher = targetDispatcher({ rules, lookup: (_name, _options, callback) => callback(null, answer) });
        const sent = request(`http://hook.example:${port}/`, { method: 'POST', body: '{}', dispatcher });
        const code = await sent.then(String, (error: Error & { code?: string }) => error.code);
        await dispatcher.destroy();
        expect(code).to.equal('FORBIDDEN_TARGET');
      });
    }
    expect(connections).to.equal(0);
    attack.end();
  });
});

describe('Limits, under attack', () => {
  let http: HttpSide;
  let usual: ReturnType<typeof config>;
  beforeEach(async () => {
    usual = config();
    http = await startHttp({ rateLimits: await createRateLimits() });
  });
  afterEach(async () => {
    useConfig(usual);
    await http.close();
  });

  it('Many tokens, sessions or addresses do not dodge a limit', async () => {
    const attack = new Onslaught('limits dodged');
    const { guildId, path, ownerId } = await buildGuild();
    const dodges: [string, (index: number) => Promise<Record<string, string>>][] = [
      ['many tokens', async () => tokenHeaders(await tokenFor(guildId, 'owner'))],
      ['many sessions', async () => sessionHeaders(ownerId)],
      ['invented forwarded addresses', async (index) => ({ 'x-forwarded-for': `9.9.${index % 250}.${index}` })],
      ['invented tokens', async (index) => ({ authorization: `Bot a.b.${index}` })],
      ['invented sessions', async (index) => ({ cookie: `rolelink_session=x${index}` })],
    ];
    for (const [what, headersOf] of dodges) {
      await attack.try(what, async () => {
        let last = 0;
        for (let index = 0; index < 121; index += 1) {
          last = (await http.send('POST', `${path}/tokens`, { headers: await headersOf(index), body: {} })).status;
          if (last === 429) break;
        }
        expect(last).to.equal(429);
      });
    }
    useConfig({ ...config(), trustProxy: 1 });
    const proxied = await startHttp({ rateLimits: await createRateLimits() });
    await attack.try('many addresses of one IPv6 network', async () => {
      let last = 0;
      for (let index = 0; index <= 120; index += 1) {
        const headers = { 'x-forwarded-for': `2a00:1450:4001:810::${(index + 1).toString(16)}` };
        last = (await proxied.send('GET', '/docs', { headers })).status;
      }
      expect(last).to.equal(429);
    });
    await proxied.close();
    attack.end();
  });

  it('A limit that one caller reaches locks no other caller out', async () => {
    const attack = new Onslaught('lock-outs of others');
    const [mine, other, person] = [await buildGuild(), await buildGuild(), await buildPerson()];
    const me = await sessionHeaders(person.chatUserId);
    for (let index = 0; index <= 121; index += 1) {
      await http.send('GET', mine.path, { headers: { authorization: `Bot a.b.${index}` } });
      await http.send('POST', `${other.path}/tokens`, { headers: tokenHeaders(other.token), body: {} });
    }
    for (let index = 0; index <= 11; index += 1) {
      const body = { method: 'profile_code', chatUserId: person.chatUserId };
      await http.send('POST', '/api/verification/session', { headers: tokenHeaders(other.token), body });
    }
    const innocent: [string, string, Record<string, string>][] = [
      ['the token of another guild', mine.path, tokenHeaders(mine.token)],
      ['the owner', mine.path, await sessionHeaders(mine.ownerId)],
      ['the owner of the guild whose tokens ask too much', other.path, await sessionHeaders(other.ownerId)],
      ['the platform’s token', mine.path, tokenHeaders(await tokenFor('*', 'viewer'))],
      ['a person', '/api/auth/me', me],
    ];
    for (const [who, path, headers] of innocent) {
      await attack.try(who, async () => expect((await http.send('GET', path, { headers })).status).to.equal(200));
    }
    await attack.try('who is verified by a server that asks too much', async () => {
      const body = { method: 'profile_code' };
      expect((await http.send('POST', '/api/verification/session', { headers: me, body })).status).to.equal(201);
    });
    expectProblem(await http.send('GET', '/api/auth/me'), 429, 'rate_limited');
    attack.end();
  });
});

describe('The exported log, under attack', () => {
  it('The exported log holds no cell that a spreadsheet computes', async () => {
    const attack = new Onslaught('cells of the exported log');
    const { api, path, ownerId } = await buildGuild();
    const owner = await asPerson({ chatUserId: ownerId, username: '=HYPERLINK("x")' });
    const starts = ['=', '+', '-', '@', '=cmd|', '＝', '＋', '－', '＠', '"=', "'=", ';=', ',=', '\u200b=', '%3D', '|'];
    for (const start of starts) {
      const made = await owner.post(`${path}/tokens`, { name: `${start}1+1,";\`|`, role: 'viewer' });
      expect(made.status, JSON.stringify(made.body)).to.equal(201);
      if (start !== '|') expect((await owner.delete(`${path}/tokens/${made.body.tokenId}`)).status).to.equal(204);
    }
    const { body } = await api.get(`${path}/logs/export`);
    const rows: string[][] = parse(String(body));
    expect(rows.length).to.be.above(starts.length);
    for (const cell of rows.flat()) {
      await attack.try(cell, () => expect(cell.trimStart()).not.to.match(/^[=+\-@\t\r＝＋－＠]/));
    }
    attack.end();
  });
});
