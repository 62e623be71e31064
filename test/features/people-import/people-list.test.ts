import { expect } from 'chai';
import { pairsOf } from '../../../src/features/people-import/people-list.js';
import { InvalidRequest } from '../../../src/lib/errors.js';

const first = { chatUserId: '143000000000000001', gameUserId: '11' };
const second = { chatUserId: '143000000000000002', gameUserId: '12' };
const [one, other] = [`${first.chatUserId},11`, `${second.chatUserId},12`];

function refusalOf(text: string): string {
  try {
    pairsOf(text);
  } catch (error) {
    if (error instanceof InvalidRequest) return error.issues.map(({ message }) => message).join();
    throw error;
  }
  return expect.fail('the text was taken');
}

// PEOPLE-5
describe('A list of people', () => {
  it('Spreadsheets’ ways of writing a table all give the same pairs', () => {
    const [a, b] = [first, second].map(({ chatUserId, gameUserId }) => `"${chatUserId}";"${gameUserId}"`);
    for (const text of [
      `${one}\n${other}`,
      `\ufeffchatUserId,gameUserId\r\n${one}\r\n${other}\r\n`,
      `sep=;\r\n${a}\r\n${b}`,
      `\ufeffsep=;\nchatUserId;gameUserId\n${a}\n${b}`,
      `"sep=,"\nDiscord,Roblox\n\n${one}\n\n${other}\n`,
      `Kullanıcı\tRoblox\n${one}\n${other}`.replaceAll(',', '\t'),
      `İsim,Roblox\n${one}\n${other}`,
    ]) {
      expect(pairsOf(text), JSON.stringify(text)).to.deep.equal([first, second]);
    }
  });

  // PEOPLE-22
  it('A list of people has its columns by name in any order, as other bots and databases name them', () => {
    for (const [a, b] of [first, second].map(({ chatUserId, gameUserId }) => [
      `${chatUserId},5,${gameUserId}`,
      `${gameUserId};ada, or b;${chatUserId}`,
    ])) {
      const [pair] = pairsOf(`discord_id,rank,roblox_id\n${a}`);
      expect(pairsOf(`robloxID;name;discordId;\n${b};\n`)).to.deep.equal([pair]);
    }
    for (const [discord, roblox] of [
      ['discordId', 'robloxId'],
      ['user_id', 'roblox_id'],
      ['_id', 'robloxID'],
      ['Discord User ID', 'Roblox'],
      ['member-id', 'RBX ID'],
    ] as const) {
      const [a, b] = [first, second].map(({ chatUserId, gameUserId }) => ({
        ...{ rank: 255, [roblox]: Number(gameUserId), name: '7' },
        [discord]: { $numberLong: chatUserId },
      }));
      const table = `rank,${roblox},name,${discord}\n255,11,7,${first.chatUserId}\n\n1,12,8,${second.chatUserId}`;
      for (const text of [
        table,
        JSON.stringify([a, b]),
        JSON.stringify({ people: [a, b] }),
        [a, b].map((one) => JSON.stringify(one)).join('\n'),
      ])
        expect(pairsOf(text), text).to.deep.equal([first, second]);
    }
    const byId = { [first.chatUserId]: 11, [second.chatUserId]: '12' };
    expect(pairsOf(JSON.stringify(byId))).to.deep.equal([first, second]);
  });

  // PEOPLE-22
  it('A list of people is read as spreadsheets and databases export it', () => {
    const [a, b] = [first.chatUserId, second.chatUserId];
    for (const text of [
      `,discord_id,roblox_id\n0,${a},11\n1,${b},12`,
      `#;Discord ID ;  ROBLOX ID\n1;${a};11\n2;${b};12`,
      `"Name, rank, day";"discord_id";"roblox_id"\n"Ada, or ""A""; 5";"${a}";"11"\n"B";"${b}";"12"`,
      `\ufeff"Discord  User-ID"\t"Rblx ID"\r\n"${a}"\t"11"\r\n"${b}"\t"12"\r\n`,
      `discord_id,note,roblox_id\n${a},"two\nlines",11\n${b},,12`,
      `\ufeff[${JSON.stringify(first)},${JSON.stringify(second)}]`,
      `{"_id":{"$oid":"65"},"discordId":"${a}","robloxID":{"$numberInt":"11"}}\r\n\r\n{"_id":{"$oid":"66"},"discordId":"${b}","robloxID":12}\r\n`,
      JSON.stringify({ [a]: { robloxId: 11, rank: 5 }, [b]: { robloxId: '12' } }),
    ])
      expect(pairsOf(text), text).to.deep.equal([first, second]);
  });

  // PEOPLE-22
  it('A list of people with ids that lost digits is refused', () => {
    for (const text of [
      `[{"discordId":${first.chatUserId},"robloxId":11}]`,
      `{"discordId":{"$numberLong":${first.chatUserId}},"robloxId":11}`,
      `{"discordId":"${first.chatUserId}","robloxId":{"$numberLong":9007199254740993}}`,
    ])
      expect(refusalOf(text), text).to.equal('item 1 is not a Discord ID and a Roblox ID');
    for (const text of [`discord_id,roblox_id\n1.43E+17,11`, `discord_id,roblox_id\n${first.chatUserId},1.1E+9`])
      expect(refusalOf(text), text).to.equal('line 2 is not a Discord ID and a Roblox ID');
  });

  // PEOPLE-22
  it('The refusal of a list of people says what was looked for', () => {
    for (const text of ['[{"name":"ada","rank":5}]', '[{"discordId":"143000000000000001","rank":5}]'])
      expect(refusalOf(text), text).to.contain('"chatUserId"').and.contain('"gameUserId"');
    for (const text of ['#,name,rank\n1,ada,5', ',name\n0,ada'])
      expect(refusalOf(text), text).to.contain('a column discord_id and a column roblox_id');
  });

  it('A list of people may name some without a Roblox account: they are left out', () => {
    const [a, b] = [first, second].map(({ chatUserId }) => chatUserId);
    expect(pairsOf(`discord_id,roblox_id\n${a},11\n${b},`)).to.deep.equal([first]);
    expect(pairsOf(JSON.stringify([first, { chatUserId: b, gameUserId: null }]))).to.deep.equal([first]);
    expect(refusalOf(`${one}\n${b},`)).to.equal('line 2 is not a Discord ID and a Roblox ID');
  });

  it('A list of people whose columns are unclear is refused, and takes nobody for anybody', () => {
    for (const heading of [
      'discord_id,rank,group',
      'name,rank',
      'discord_id,roblox_rank',
      'roblox,roblox,name',
      'discord_id,user_id',
    ])
      expect(refusalOf(`${heading}\n${one},5`), heading).to.equal(
        'has no heading with a column discord_id and a column roblox_id',
      );
    const line = 'line 2 is not a Discord ID and a Roblox ID';
    expect(refusalOf(`discord_id,name,roblox_id\n${first.chatUserId},a, b,11`)).to.equal(line);
    expect(refusalOf(`rank,roblox\n5,11`)).to.equal(line);
    expect(refusalOf(`${one}\n${one},5`)).to.equal(line);
    for (const item of [{ id: 143_000_000_000_000_000, roblox: 11 }, { discord: first.chatUserId, rank: 11 }, 5, null])
      expect(refusalOf(JSON.stringify([first, item]))).to.equal('item 2 is not a Discord ID and a Roblox ID');
  });

  it('The refusal names the line in the text, with headings and empty lines counted', () => {
    for (const [text, line] of [
      [`${one}\nbad,2`, 2],
      [`\n\n${one}\n\nbad,2\n${other}`, 5],
      [`sep=;\r\nchatUserId;gameUserId\r\n\r\n${one.replace(',', ';')}\r\n1.44E+17;3`, 5],
      [`${one}\r${other}\rbad,2`, 3],
      [`${one}\n"${other}"`, 2],
    ] as const)
      expect(refusalOf(text), JSON.stringify(text)).to.equal(`line ${line} is not a Discord ID and a Roblox ID`);
  });

  it('A first line that holds an id is no heading: it is refused, and not left out', () => {
    for (const line of [`O${first.chatUserId},11`, 'ada,11', `User ${first.chatUserId}`])
      expect(refusalOf(`${line}\n${other}`), line).to.equal('line 1 is not a Discord ID and a Roblox ID');
  });
});
