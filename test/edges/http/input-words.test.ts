import { expect } from 'chai';
import { z } from 'zod';
import { locale } from '../../../src/lib/translate.js';
import { buildGroupGuild, type GroupGuild } from '../../features/sync/sync-setup.js';
import { type Api, api } from '../../support/api.js';
import { tokenFor } from '../../support/build.js';
import { world } from '../../support/world.js';

const ofZod = /Invalid|Too (?:small|big)|expected|received|Unrecognized/;

// API-8
describe('The words of input errors', () => {
  let guild: GroupGuild;
  let admin: Api;

  before(async () => {
    await world();
    guild = await buildGroupGuild();
    admin = api(await tokenFor(guild.guildId, 'admin'));
  });

  const errorsOf = async (path: string, body: object, headers = {}): Promise<[string, string][]> => {
    const answer = await admin.request('POST', `${guild.path}${path}`, { body, headers });
    expect(answer.status).to.equal(400);
    return answer.body.errors.map(({ path: at, message }: Record<string, string>) => [at, message]);
  };

  it('Rolelink explains in its own words which input is missing, of the wrong type, no choice, too short or too long', async () => {
    expect(await errorsOf('/webhooks', { events: [] })).to.deep.equal([
      ['url', 'is missing'],
      ['events', 'must not be empty'],
    ]);
    const wrong = { url: 5, events: ['nothing.happened'], description: 'x'.repeat(201), enabled: 'yes', colour: 'red' };
    const errors = Object.fromEntries(await errorsOf('/webhooks', wrong));
    expect(errors['events.0']).to.match(/^must be one of these: .*verification\.completed/);
    expect(errors).to.include({
      url: 'must be text',
      description: 'must have at most 200 characters',
      enabled: 'must be true or false',
      colour: "isn't known here",
    });
    expect(await errorsOf('/mappings', { roleIds: 'x' })).to.deep.equal([
      ['condition', 'is missing'],
      ['roleIds', 'must be a list'],
    ]);
    const kinds = Object.fromEntries(await errorsOf('/mappings', { condition: { type: 'x' }, roleIds: ['1'] }));
    expect(kinds['condition.type']).to.match(/^must be one of these: .*group_rank/);
    expect(kinds['roleIds.0']).to.equal('must be a Discord ID: a numeric string of 17 to 20 digits');
    expect(await errorsOf('/mappings', { condition: {}, roleIds: [] })).to.deep.include([
      'condition.type',
      'is missing',
    ]);
    const rank = { type: 'group_rank', groupId: guild.groupId, min: 1.5, max: 300 };
    expect(await errorsOf('/mappings', { condition: rank, roleIds: [] })).to.deep.equal([
      ['condition.min', 'must be a whole number'],
      ['condition.max', 'must be at most 255'],
    ]);
  });

  it('No error of an input has the words of the library, whatever the schema', () => {
    const schemas = [
      z.string().min(2),
      z.array(z.int()).min(3).max(4),
      z.enum(['a']),
      z.iso.datetime(),
      z.boolean(),
      z.record(z.string(), z.int()),
    ];
    const values = [undefined, null, 1, 1.5, '', 'x', true, [], ['x'], [1, 2, 3, 4, 5], {}, { a: 'b' }, Number.NaN];
    for (const schema of [...schemas, z.union([z.int(), z.boolean()]), z.strictObject({ a: z.null() })]) {
      for (const value of values) {
        for (const { message } of schema.safeParse(value).error?.issues ?? []) expect(message).not.to.match(ofZod);
      }
    }
  });

  it('Errors of inputs and short refusals come in each language of the bot', async () => {
    const words = new Set<string>();
    const refusals = new Set<string>();
    for (const language of locale.options) {
      const headers = { 'accept-language': language };
      words.add(JSON.stringify(await errorsOf('/webhooks', { events: [] }, headers)));
      for (const [path, code] of [
        ['/webhooks/whk_1', 'webhook_not_found'],
        ['/mappings/map_1', 'mapping_not_found'],
      ]) {
        const { body } = await admin.request('GET', `${guild.path}${path}`, { headers });
        expect(body.code).to.equal(code);
        refusals.add(body.detail);
      }
      refusals.add((await api().request('GET', guild.path, { headers })).body.detail);
    }
    expect(words.size).to.equal(locale.options.length);
    expect(refusals.size).to.equal(3 * locale.options.length);
  });

  it('A route describes the form of a Discord id when a person’s id is malformed', async () => {
    for (const [method, path] of [
      ['GET', '/members/1'],
      ['GET', '/members/abc/why'],
      ['DELETE', '/team/1'],
    ] as const) {
      const { status, body } = await guild.api.request(method, `${guild.path}${path}`);
      expect([status, body.code], path).to.deep.equal([400, 'invalid_request']);
      expect(body.errors).to.deep.equal([
        { path: 'path.memberId', message: 'must be a Discord ID: a numeric string of 17 to 20 digits' },
      ]);
    }
  });
});

describe('Texts that may be left out', () => {
  // API-4
  it('An optional text counts as left out when it is empty or only spaces', async () => {
    await world();
    const guild = await buildGroupGuild();
    const mapping = { condition: { type: 'group_roles', groupId: guild.groupId, match: 'name' }, name: '' };
    const { status, body } = await guild.api.post(`${guild.path}/mappings`, mapping);
    expect([status, body.name]).to.deep.equal([201, null]);
    const webhook = { url: 'https://example.com/hook', events: ['role.synced'], description: '  ' };
    expect((await guild.api.post(`${guild.path}/webhooks`, webhook)).body).to.include({ description: null });
    const { body: settings } = await guild.api.get(`${guild.path}/settings`);
    const restrictions = { ...settings.restrictions, reason: '' };
    const wish = { ...settings, restrictions, joinMessage: { to: 'none', channelId: null, text: ' ' } };
    const changed = await guild.api.put(`${guild.path}/settings`, wish);
    expect([changed.status, changed.body.restrictions.reason, changed.body.joinMessage.text]).to.deep.equal([
      200,
      null,
      null,
    ]);
  });
});
