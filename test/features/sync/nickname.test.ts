import { expect } from 'chai';
import fc from 'fast-check';
import { groupIdsOfTemplate, unknownPlaceholders } from '../../../src/core/settings/nickname-template.js';
import { renderNickname } from '../../../src/features/sync/plan/nickname.js';

const game = { gameUserId: '1', gameUsername: 'Builder', gameDisplayName: 'Bob the Builder' };
const role = (name: string, rank: number) => ({ gameRoleId: String(rank), name, rank });
const ranks = new Map([
  ['7', [role('Artist', 20), role('Officer', 100), role('Member', 1)]],
  ['8', [role('Recruit', 5)]],
]);

const render = (template: string, person: Partial<Parameters<typeof renderNickname>[1]> = {}) =>
  renderNickname(template, { game, chatUsername: 'bob', ranks, ...person });
const named = (gameDisplayName: string) => ({ game: { ...game, gameDisplayName } });

// MAP-23
describe('Nickname templates', () => {
  for (const [template, nickname] of [
    ['{gameUsername}', 'Builder'],
    ['{gameDisplayName}', 'Bob the Builder'],
    ['{chatUsername}', 'bob'],
    ['{groupRole:7} {gameUsername}', 'Officer Builder'],
    ['[{groupRank:7}] {gameUsername}', '[100] Builder'],
    ['{groupRank:8}/{groupRole:8}', '5/Recruit'],
    ['{gameUsername} {gameUsername}', 'Builder Builder'],
    ['no placeholder', 'no placeholder'],
    ['{unknown} {gameUserId} {groupRank} {groupRank:x}', '{unknown} {gameUserId} {groupRan'],
  ] as const) {
    it(`The template ${template} becomes ${nickname}`, () => expect(render(template)).to.equal(nickname));
  }

  it('A template gives rank 0 and no role for a person outside the group', () => {
    expect(render('{groupRank:9} {gameUsername}{groupRole:9}')).to.equal('0 Builder');
  });

  it('A template leaves placeholders inside names alone', () => {
    expect(render('{gameDisplayName}', named('{gameUsername} $& $1'))).to.equal('{gameUsername} $& $1');
  });

  it('A template folds white space of every kind, and trims', () => {
    expect(render(' \t{gameDisplayName}\n ', named('Bob \u00a0 the\u3000\u2028Builder'))).to.equal('Bob the Builder');
  });

  it('A template gives the game username when the result would be empty', () => {
    expect(render('{groupRole:9}')).to.equal('Builder');
    expect(render(' {groupRole:9} \u3000')).to.equal('Builder');
    expect(render('{gameDisplayName}', named(''))).to.equal('Builder');
  });

  it('A nickname is cut to 32 code points, of which an emoji is one', () => {
    const emoji = '🎉'.repeat(40);
    expect(render('{gameDisplayName}', named(emoji))).to.equal('🎉'.repeat(32));
    expect(render('{gameDisplayName}', named('x'.repeat(40)))).to.equal('x'.repeat(32));
  });

  it('A cut by code points may take members of a flag or a family, but breaks no character', () => {
    const flags = render('{gameDisplayName}', named(`x${'🇫🇷'.repeat(20)}`));
    expect([...flags]).to.have.length(32);
    expect(flags.endsWith('🇫')).to.equal(true);
    const family = render('{gameDisplayName}', named(`${'x'.repeat(30)}👩‍👧`));
    expect(family).to.equal(`${'x'.repeat(30)}👩\u200d`);
    expect(`${flags}${family}`).not.to.match(/\p{Surrogate}/u);
  });

  it('A nickname does not end in a space that the cut has laid bare', () => {
    expect(render('{gameDisplayName}', named(`${'x'.repeat(31)} y`))).to.equal('x'.repeat(31));
  });

  it('A nickname is never empty, never longer than 32 code points, and rendered again it stays the same', () => {
    const part = fc.oneof(
      fc.constantFrom('{gameUsername}', '{gameDisplayName}', '{groupRole:7}', '{groupRank:9}', ' ', '\t', '{', ':7}'),
      fc.string({ unit: 'grapheme' }),
    );
    fc.assert(
      fc.property(fc.array(part), fc.string({ unit: 'grapheme' }), (parts, displayName) => {
        const nickname = render(parts.join(''), named(displayName));
        expect([...nickname].length).to.be.within(1, 32);
        expect(nickname).to.equal(nickname.trim());
        expect(render('{gameDisplayName}', named(nickname))).to.equal(nickname);
      }),
    );
  });

  it('A template names the groups that it asks about', () => {
    expect(groupIdsOfTemplate('{groupRank:7} {gameUsername} {groupRole:8}{groupRank:x}')).to.deep.equal(['7', '8']);
    expect(groupIdsOfTemplate('{gameUsername}')).to.deep.equal([]);
  });

  it('A template names the texts in brackets that it does not know', () => {
    expect(unknownPlaceholders('{gameUsername} {groupRank:7} plain')).to.deep.equal([]);
    expect(unknownPlaceholders('{gameUserId} {groupRank:x}{gameUsername}{{}}')).to.deep.equal([
      ...['{gameUserId}', '{groupRank:x}', '{}'],
    ]);
    expect(unknownPlaceholders('{a{gameUsername}b} {c')).to.deep.equal(['{ab}']);
  });
});
