import { expect } from 'chai';
import { z } from 'zod';
import { defaultSettings } from '../../../src/core/settings/guild-settings.js';
import { platformAdminId } from '../../support/world.js';
import { allRoutes, expectProblem, type HttpSide, sessionHeaders, startHttp } from './http-setup.js';
import { type FilledGuild, fillGuild } from './walk-setup.js';

/** People's texts that lists, logs and files show: endpoint, field path, and the body around it. */
const texts: [string, string, (text: string, guild: FilledGuild) => object][] = [
  ['POST /mappings', 'name', (name, { bodies }) => ({ ...bodyOf(bodies, 'POST', '/mappings'), name })],
  ['PUT /mappings/:mappingId', 'name', (name, { bodies }) => ({ ...bodyOf(bodies, 'POST', '/mappings'), name })],
  [
    'POST /mappings/import',
    'mappings.0.name',
    (name, { bodies }) => ({ mappings: [{ ...bodyOf(bodies, 'POST', '/mappings'), name }] }),
  ],
  [
    'POST /sync/preview',
    'mappings.0.name',
    (name, { bodies }) => ({ mappings: [{ ...bodyOf(bodies, 'POST', '/mappings'), name }] }),
  ],
  ['POST /tokens', 'name', (name) => ({ name, role: 'viewer' })],
  [
    'POST /webhooks',
    'description',
    (description, { bodies }) => ({ ...bodyOf(bodies, 'POST', '/webhooks'), description }),
  ],
  ['PATCH /webhooks/:webhookId', 'description', (description) => ({ description })],
  ['PUT /settings', 'nickname.template', (template) => ({ ...defaultSettings, nickname: { enabled: true, template } })],
  ['POST /admin/suspend', 'reason', (reason) => ({ reason })],
  ['POST /admin/unsuspend', 'reason', (reason) => ({ reason })],
];

const bodyOf = (bodies: FilledGuild['bodies'], method: string, path: string): object =>
  Object(bodies[`${method} /api/guilds/:guildId${path}`]);

/** Body texts that are never read as a line: secrets, ids, addresses, files. */
const noLines = [
  'previewId',
  'reviewKey',
  'key',
  'group.url',
  'panel.text',
  'confirm',
  'cursor',
  'token',
  'code',
  'state',
  'gameUsername',
  'url',
  'text',
  'csv',
  'returnTo',
];

/** The paths to texts without their own form in a JSON Schema. */
function freeTexts(schema: unknown, path: string[] = []): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  if (Array.isArray(schema)) return schema.flatMap((part) => freeTexts(part, path));
  const { type, properties, ...rest } = schema as Record<string, unknown>;
  const formed = ['pattern', 'format', 'enum', 'const'].some((keyword) => keyword in rest);
  const own = type === 'string' && !formed ? [path.join('.')] : [];
  const inner = Object.entries(Object(properties)).flatMap(([name, part]) => freeTexts(part, [...path, name]));
  return [...own, ...inner, ...Object.values(rest).flatMap((part) => freeTexts(part, path))];
}

// API-3
describe('Texts of one line', () => {
  // Filling a guild and walking all routes takes long on a slow machine.
  let http: HttpSide;
  let guild: FilledGuild;

  before(async () => {
    [http, guild] = [await startHttp(), await fillGuild()];
  });
  after(() => http.close());

  async function send(endpoint: string, body: object) {
    const [method = '', path = ''] = endpoint.split(' ');
    const isAdmin = path.startsWith('/admin');
    const full = isAdmin ? `/api/admin/guilds/${guild.guildId}${path.slice(6)}` : `/api/guilds/${guild.guildId}${path}`;
    const headers = isAdmin ? await sessionHeaders(platformAdminId) : await guild.token('owner');
    const filled = full.replaceAll(/:(\w+)/g, (_, name: string) => guild.ids[name] ?? '');
    return http.send(method, filled, { body, headers });
  }

  for (const [endpoint, path, bodyWith] of texts) {
    it(`A text of one line is refused with a control character: ${endpoint}, ${path}`, async () => {
      for (const mark of ['\n', '\r', '\0', '\t', '\u001b', '\u0085', '\u2028', '\u2029']) {
        const answer = await send(endpoint, bodyWith(`one${mark}two`, guild));
        const { errors } = expectProblem(answer, 400, 'invalid_request');
        expect(errors, JSON.stringify(mark)).to.deep.equal([
          { path, message: 'must be one line, without control characters' },
        ]);
      }
    });
  }

  it('An import refuses a line with a control character in a text, and creates the others', async () => {
    const roleId = Object(bodyOf(guild.bodies, 'POST', '/mappings')).roleIds[0];
    const text = `name,condition,roles\n"one\ntwo",unverified,${roleId}\nFine,verified,${roleId}`;
    const { json } = await send('POST /mappings/import', { format: 'csv', text });
    expect(json.refused.map(({ code }: { code: string }) => code)).to.deep.equal(['invalid_request']);
    expect(json.created).to.have.length(1);
  });

  it('A text of one line accepts everything else that people write', async () => {
    const name = 'Zoë – “Wörter”, 日本語 🦊 e\u0301 שלום';
    const condition = { type: 'verified' };
    const { roleIds } = Object(bodyOf(guild.bodies, 'POST', '/mappings'));
    const answer = await send('POST /mappings', { name: `  ${name} `, condition, roleIds });
    expect([answer.status, answer.json.name]).to.deep.equal([201, name]);
  });

  it('Every text of a body that has no form of its own is a text of one line', () => {
    const found = allRoutes()
      .filter(({ options }) => options.page !== true)
      .flatMap(({ name, options: { input } }) =>
        input?.body === undefined
          ? []
          : freeTexts(z.toJSONSchema(input.body, { io: 'input', reused: 'inline' })).map((path) => `${name} ${path}`),
      )
      .filter((text) => !noLines.some((known) => text.endsWith(` ${known}`)));
    expect(found).to.deep.equal([]);
  });
});
