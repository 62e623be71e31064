import { expect } from 'chai';
import { parseCsv } from '../../src/features/mapping-import/import-csv.js';
import { listAllMappings } from '../../src/features/mappings/mapping-service.js';
import { buildGuild, eventually, type TestGuild } from '../support/build.js';
import { type World, world } from '../support/world.js';
import { privateWords } from './private-answer.js';

type Options = Record<string, string | number | boolean>;

// FACT-10
describe('Mappings of facts at each door', () => {
  let discord: World['discord'];
  let guild: TestGuild;
  let role: string;

  beforeEach(async () => {
    ({ discord } = await world());
    guild = await buildGuild();
    role = discord.addRole(guild.guildId, { name: 'Veteran' }).id;
  });

  const ask = (name: string, options: Options) =>
    privateWords(discord.command(guild.guildId, guild.ownerId, `mapping ${name}`, options));
  const conditions = async () => (await listAllMappings(guild.guildId)).map(({ condition }) => condition);

  it('/mapping fact reads exact values and bounds', async () => {
    expect(await ask('fact', { fact: 'level', role, at_least: 10 })).to.include('the fact level is at least 10');
    expect(await ask('fact', { fact: 'level', role, at_most: 2.5 })).to.include('the fact level is at most 2.5');
    expect(await ask('fact', { fact: 'level', role, at_least: 1, at_most: 9 })).to.include('the fact level is 1–9');
    for (const is of ['True', '12', 'Red', '"12"']) await ask('fact', { fact: 'clan', role, is });
    const fact = (rest: object) => ({ type: 'fact', ...rest });
    expect(await conditions()).to.deep.equal([
      ...[{ atLeast: 10 }, { atMost: 2.5 }, { atLeast: 1, atMost: 9 }].map((rest) => fact({ key: 'level', ...rest })),
      ...[true, 12, 'Red', '12'].map((is) => fact({ key: 'clan', is })),
    ]);
  });

  // FACT-15
  it('/mapping fact refuses no value, two kinds of value, and bad names', async () => {
    for (const options of [{}, { is: 'x', at_least: 1 }])
      expect(await ask('fact', { fact: 'level', role, ...options })).to.match(/either is, or at.*least and at.*most/);
    expect(await ask('fact', { fact: 'Level Up', role, at_least: 1 })).to.match(/fact.*a to z, the digits 0 to 9 and/);
    expect(await ask('fact', { fact: 'level', role, at_least: 5, at_most: 1 })).to.match(/must not be above at.*most/);
    for (const is of ['x'.repeat(65), '""', '" "'])
      expect(await ask('fact', { fact: 'level', role, is }), is).to.include('1 to 64 characters');
    for (const options of [{ at_least: 2 ** 53 }, { at_most: -(2 ** 53) }, { at_least: 1, at_most: 2 ** 53 }])
      expect(await ask('fact', { fact: 'level', role, ...options })).to.include(
        '-9007199254740991 to 9007199254740991',
      );
    expect(await conditions()).to.deep.equal([]);
  });

  it('/mapping fact names the option that is wrong in the language of the person', async () => {
    discord.setClientLocale(guild.ownerId, 'de');
    const inGerman = (options: Options) => ask('fact', { role, ...options });
    expect(await inGerman({ fact: 'Level Up', at_least: 1 })).to.match(/fact.*Buchstaben a bis z/);
    expect(await inGerman({ fact: 'level', at_least: 5, at_most: 1 })).to.match(/nicht über at.*most/);
    expect(await inGerman({ fact: 'level', is: '""' })).to.match(/1 bis 64 Zeichen/);
    expect(await inGerman({ fact: 'level', at_least: 2 ** 53 })).to.match(/at.*least.*Zahl von .*9007199254740991/);
  });

  it('/mapping edit changes the name or the value of a fact, and refuses those of other kinds', async () => {
    await ask('fact', { fact: 'level', role, at_least: 10 });
    const [{ _id: mapping } = expect.fail()] = await listAllMappings(guild.guildId);
    await ask('edit', { mapping, at_most: 20 });
    expect(await conditions()).to.deep.equal([{ type: 'fact', key: 'level', atLeast: 10, atMost: 20 }]);
    await ask('edit', { mapping, fact: 'clan', is: 'Red' });
    expect(await conditions()).to.deep.equal([{ type: 'fact', key: 'clan', is: 'Red' }]);
    await ask('edit', { mapping, type: 'verified' });
    expect(await ask('edit', { mapping, at_least: 1 })).to.include("doesn't apply to mappings of this type");
    expect(await conditions()).to.deep.equal([{ type: 'verified' }]);
  });

  it('The API takes one kind of value, and names what is wrong', async () => {
    const made = (condition: object) => guild.api.post(`${guild.path}/mappings`, { condition, roleIds: [role] });
    for (const rest of [
      {},
      { is: 1, atLeast: 1 },
      { atLeast: 2, atMost: 1 },
      { is: null },
      { is: '' },
      { is: ' ' },
      { atLeast: '1' },
    ]) {
      const { status, body } = await made({ type: 'fact', key: 'level', ...rest });
      expect(status, JSON.stringify(rest)).to.equal(400);
      expect(body.errors[0].path).to.match(/^condition/);
    }
    const { status, body } = await made({ type: 'fact', key: 'level', atLeast: 0, atMost: 0 });
    expect(status).to.equal(201);
    expect(body.condition).to.deep.equal({ type: 'fact', key: 'level', atLeast: 0, atMost: 0 });
  });

  it('The configuration document carries conditions of facts', async () => {
    const condition = { type: 'any', of: [{ type: 'fact', key: 'owns_pass', is: true }, { type: 'verified' }] };
    await guild.api.post(`${guild.path}/mappings`, { condition, roleIds: [role] });
    const { body } = await guild.api.get(`${guild.path}/config`);
    expect(body.mappings[0].condition).to.deep.equal(condition);
    const other = await buildGuild();
    discord.addRole(other.guildId, { name: 'Veteran' });
    // The gateway reports the new role; the configuration is refused until it has.
    const put = () => other.api.put(`${other.path}/config`, body, { 'if-match': '*' });
    await eventually(async () => (await put()).status === 200, 'the role');
    expect((await listAllMappings(other.guildId)).map((each) => each.condition)).to.deep.equal([condition]);
    const [mapping] = body.mappings;
    const empty = { ...body, mappings: [{ ...mapping, condition: { type: 'fact', key: 'clan', is: '' } }] };
    const { body: refusal } = await other.api.put(`${other.path}/config`, empty, { 'if-match': '*' });
    expect(refusal.errors?.[0]?.path).to.match(/condition/);
  });

  it('The CSV list of mappings names facts with their values', () => {
    const rows = ['condition,fact,is,atLeast,atMost,roles', 'fact,level,,10,,A', 'fact,level,,1,2.5,A'];
    const more = [
      'fact,clan,Red,,,A',
      'fact,pass,true,,,A',
      'fact,Bad Name,1,,,A',
      'fact,level,,ten,,A',
      'fact,level,,,,A',
      'fact,clan,"""""",,,A',
    ];
    const parsed = parseCsv([...rows, ...more].join('\n'));
    expect(parsed.proposals.map(({ condition }) => condition)).to.deep.equal([
      { type: 'fact', key: 'level', atLeast: 10 },
      { type: 'fact', key: 'level', atLeast: 1, atMost: 2.5 },
      { type: 'fact', key: 'clan', is: 'Red' },
      { type: 'fact', key: 'pass', is: true },
    ]);
  });
});
