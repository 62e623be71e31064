import { expect } from 'chai';
import { pairsOf, pairsOfFile } from '../../../src/features/people-import/people-list.js';
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
      `Kullanıcı\tRoblox\n${one}\n${other}`,
      `İsim;Roblox\n${one}\n${other}`,
    ]) {
      expect(pairsOf(text), JSON.stringify(text)).to.deep.equal([first, second]);
      expect(pairsOfFile(text), JSON.stringify(text)).to.deep.equal([first, second]);
    }
  });

  it('The refusal names the line in the text, with headings and empty lines counted', () => {
    for (const [text, line] of [
      [`${one}\nbad,2`, 2],
      [`\n\n${one}\n\nbad,2\n${other}`, 5],
      [`sep=;\r\nchatUserId;gameUserId\r\n\r\n${one}\r\n1.44E+17;3`, 5],
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
