import { expect } from 'chai';
import { type HttpSide, startHttp } from './http-setup.js';

type Json = Record<string, unknown>;

/** Every document part that has its own field by this name, with where it stands. */
function partsWith(name: string, value: unknown, at = ''): { at: string; found: unknown }[] {
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.entries(value).flatMap(([key, part]) => partsWith(name, part, `${at}/${key}`));
  return name in value ? [{ at, found: (value as Json)[name] }, ...inner] : inner;
}

/** Whether a schema, or an alternative, is a text with no listed value. */
function takesAnyText(schema: unknown): boolean {
  const { type, anyOf = [], ...rest } = schema as Json & { anyOf?: unknown[] };
  return anyOf.some(takesAnyText) || (type === 'string' && !('enum' in rest) && !('const' in rest));
}

// API-52, API-56
describe('The OpenAPI document for generators', () => {
  let http: HttpSide;
  let document: { paths: Record<string, Record<string, Json>>; components: Json };

  before(async () => {
    http = await startHttp();
    document = (await http.send('GET', '/api/openapi.json')).json;
  });

  it('The OpenAPI document gives no request field a default, and explains the default in the description', () => {
    const bodies = Object.values(document.paths).flatMap((path) =>
      Object.values(path).map(({ requestBody, parameters }) => ({ requestBody, parameters })),
    );
    expect(partsWith('default', bodies)).to.deep.equal([]);
    const { schemas } = document.components as { schemas: Record<string, Json> };
    const named = JSON.stringify(bodies).matchAll(/#\/components\/schemas\/(\w+)/g);
    const asked = [...new Set([...named].map(([, name = '']) => name))];
    expect(asked).to.include('MappingDraft');
    for (const name of asked) expect(partsWith('default', schemas[name]), name).to.deep.equal([]);
    expect(JSON.stringify(schemas.MappingDraft)).to.contain('Left out: true.');
  });

  // API-54
  it('The OpenAPI document lists the values of each code, state, trigger and reason that is no free text', () => {
    const ofPeople = [
      ...['suspend', 'unsuspend'].map((verb) => `/paths//api/admin/guilds/{guildId}/${verb}/post/…/reason`),
      ...[
        'AdminGuild',
        'GuildSuspendedEvent',
        'JoinRequestsToAnswer',
        'RankToGive',
        'RanksToGive',
        'Settings',
        'WishedSettings',
      ].map((name) => `/components/schemas/${name}/…/reason`),
      ...['/api/guilds/{guildId}/verification/game-codes/redeem', '/api/verification/complete'].map(
        (path) => `/paths/${path}/post/…/code`,
      ),
      '/paths//api/verification/complete/post/…/state',
    ];
    const open = ['code', 'state', 'trigger', 'reason', 'outcome', 'severity', 'verdict'].flatMap((name) =>
      partsWith(name, document)
        .filter(({ at, found }) => at.endsWith('/properties') && takesAnyText(found))
        .map(
          ({ at }) => `${at.replace(/^(\/paths\/.*?\/(?:get|put|post|patch|delete)|(?:\/\w+){3}).*/, '$1')}/…/${name}`,
        ),
    );
    expect(open.length).to.be.at.least(ofPeople.length);
    expect(open.filter((place) => !ofPeople.includes(place))).to.deep.equal([]);
  });

  it('The OpenAPI document has only patterns that mean the same with and without the flag u', () => {
    const patterns = partsWith('pattern', document).map(({ found }) => String(found));
    expect(patterns.length).to.be.above(10);
    for (const pattern of new Set(patterns)) {
      expect(pattern).not.to.match(/\\[pP]\{|\\u\{/);
      const [plain, unicode] = [new RegExp(pattern), new RegExp(pattern, 'u')];
      for (const text of ['A name', 'p{C}', 'Zoë 🎉', 'a\nb', 'a\u2028b', '\u0085', '123456789012345678', '']) {
        expect(plain.test(text), `${pattern} ${JSON.stringify(text)}`).to.equal(unicode.test(text));
      }
    }
  });
});
