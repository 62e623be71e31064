import { expect } from 'chai';
import { stringify } from 'yaml';
import { buildGuild, type TestGuild } from '../../support/build.js';
import { world } from '../../support/world.js';

const yaml = { 'content-type': 'application/yaml' };
const keys = (count: number): string => Array.from({ length: count }, (_, index) => ` k${index}: 1`).join('\n');

describe('Texts that could hold up the process', () => {
  let guild: TestGuild;

  beforeEach(async () => {
    await world();
    guild = await buildGuild();
  });

  const send = (text: string, headers: Record<string, string> = yaml) =>
    guild.api.put(`${guild.path}/config`, text, headers);
  const importText = (format: string, text: string) =>
    guild.api.post(`${guild.path}/mappings/import`, { format, text, dryRun: true });

  // API-1, CONF-2
  it('A configuration in YAML of more than 64 KiB is refused with 413, and one in JSON of the same size is read', async () => {
    for (const text of [keys(30_000), '}\n'.repeat(40_000), '['.repeat(200_000)]) {
      const answer = await send(text);
      expect([answer.status, answer.body.detail]).to.deep.equal([
        413,
        'YAML must not be larger than 64 KiB. JSON may have 1 MiB.',
      ]);
    }
    const config = (await guild.api.get(`${guild.path}/config`)).body;
    const large = JSON.stringify({ ...config, settings: { ...config.settings, x: 'y'.repeat(100_000) } });
    for (const headers of [yaml, { 'content-type': 'application/json' }]) {
      const answer = await send(large, headers);
      expect([answer.status, answer.body.errors]).to.deep.equal([
        400,
        [{ path: 'settings.x', message: "isn't known here" }],
      ]);
    }
  });

  it('A configuration in YAML of thousands of keys or errors is a 400 that names the first ones', async () => {
    for (const [text, listed] of [
      [keys(4_000), 101],
      ['}\n'.repeat(19_000), 1],
      ['['.repeat(60_000), 1],
    ] as const) {
      const answer = await send(text);
      expect([answer.status, answer.body.errors.length], text.slice(0, 10)).to.deep.equal([400, listed]);
    }
    const config = (await guild.api.get(`${guild.path}/config`)).body;
    expect((await send(stringify(config))).status).to.equal(200);
  });

  // CONF-16
  it('An alias in a list is a 400 with line and column at each door that takes YAML', async () => {
    const people = (text: string) => guild.api.post(`${guild.path}/people/import`, text, yaml);
    for (const answer of [await send('groups: [*a]'), await people('people: [*a]'), await people('- *a')]) {
      expect(answer.status, JSON.stringify(answer.body)).to.equal(400);
      expect(answer.body.errors[0].message).to.match(/an alias is not taken at line 1, column \d+$/);
    }
  });

  // CONF-39, PEOPLE-5
  it('A list of people whose rows are all too short is refused by the number of its lines, and names its first row', async () => {
    const people = async (csv: string) => {
      const { status, body } = await guild.api.post(`${guild.path}/people/import`, { csv });
      return [status, body.errors?.[0]];
    };
    expect(await people(`discord,roblox\n${'1\n'.repeat(300_000)}`)).to.deep.equal([
      400,
      { path: 'csv', message: 'must have at most 20,000 lines' },
    ]);
    expect(await people(`discord,roblox\n${'1\n'.repeat(10_000)}`)).to.deep.equal([
      400,
      { path: 'csv', message: 'line 2 is not a Discord ID and a Roblox ID' },
    ]);
  });

  it('An input with thousands of problems is refused with the first hundred, and the number of the others', async () => {
    const config = (await guild.api.get(`${guild.path}/config`)).body;
    const unknown = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`k${index}`, 1]));
    const answer = await send(JSON.stringify({ ...config, ...unknown }), { 'content-type': 'application/json' });
    expect([answer.status, answer.body.errors.length]).to.deep.equal([400, 101]);
    expect(answer.body.errors.at(-1)).to.deep.equal({
      path: '',
      message: 'has 4900 more problems than are listed here',
    });
    const verification = { ...config.settings.verification, methods: Array.from({ length: 200_000 }, () => 1) };
    const settings = { ...config, settings: { ...config.settings, verification } };
    const refused = await send(JSON.stringify(settings), { 'content-type': 'application/json' });
    expect([refused.status, refused.body.errors.length]).to.deep.equal([400, 1]);
  });

  it('An import of one binding that repeats its ranks ten thousand times is read like one that says them once', async () => {
    const binding = (ranks: string) => `Officer <123456789012345678>\nGroup 5\nRanks ${ranks}`;
    const [once, often] = [
      await importText('rover', binding('1-255')),
      await importText('rover', binding(`${'1-255, '.repeat(8_000)}1-255`)),
    ];
    expect(often.status, JSON.stringify(often.body)).to.equal(200);
    expect(often.body).to.deep.equal(once.body);
  });

  // CONF-19
  it('An import of more lines than a server can have mappings is refused as a whole', async () => {
    for (const [format, line] of [
      ['csv', 'verified,a\n'],
      ['bloxlink', 'a\n'],
      ['rover', 'a\n'],
    ] as const) {
      const header = format === 'csv' ? 'condition,roles\n' : '';
      const answer = await importText(format, header + line.repeat(5_050));
      expect(answer.status, format).to.equal(400);
      expect(answer.body.errors[0].message).to.contain('import it in parts');
    }
  });
});
