import { expect } from 'chai';
import fc from 'fast-check';
import { containsPhrase, newPhrase } from '../../../src/features/verification/phrase.js';
import { phraseWords } from '../../../src/features/verification/phrase-words.js';

const phrase = 'maple otter lantern river quilt sunset';

// VER-8
describe('Phrases for the profile', () => {
  it('The profile phrase has short plain words, without repetition, and carries at least 40 bits', () => {
    expect(new Set(phraseWords).size).to.equal(phraseWords.length);
    expect(phraseWords.filter((word) => !/^[a-z]{3,11}$/.test(word))).to.deep.equal([]);
    const choices = Array.from({ length: 6 }, (_, index) => phraseWords.length - index);
    expect(Math.log2(choices.reduce((product, choice) => product * choice, 1))).to.be.greaterThan(40);
  });

  it('The profile phrase has no word that holds another which a text filter blocks', () => {
    const blocked =
      /ass|butt|cum|anal|hell|hoe|rape|tit|coon|poo|pee|jew|sex|fag|gay|god|gun|kill|dick|cock|oral|trump|nip/;
    expect(phraseWords.filter((word) => blocked.test(word) || /discord|roblox|code|verify/.test(word))).to.deep.equal(
      [],
    );
  });

  it('The profile phrase is new each time, of six different words', () => {
    const phrases = Array.from({ length: 200 }, newPhrase);
    expect(new Set(phrases).size).to.equal(200);
    for (const made of phrases) {
      const [product, ...words] = made.split(' ');
      expect(product).to.equal('Rolelink');
      expect(new Set(words).size).to.equal(6);
      expect(words.every((word) => phraseWords.includes(word))).to.equal(true);
    }
  });

  for (const [place, text] of [
    ['as it is', phrase],
    ['in another case', 'MAPLE Otter lantern RIVER quilt Sunset'],
    ['with text around it', `I like cats! ${phrase}. Add me`],
    ['glued to other text', `xx${phrase}xx`],
    ['over several lines', 'maple\r\notter\n\nlantern\nriver quilt\tsunset'],
    ['with punctuation', '"maple, otter - lantern; river_quilt... (sunset)"'],
    ['without spaces', 'maple,otter,lanternriverquiltsunset'],
    ['with no-break and zero-width characters', 'maple\u00a0otter\u200blantern\u2003river\u2060quilt\ufeffsunset'],
    ['in full-width letters', 'ｍａｐｌｅ ｏｔｔｅｒ ｌａｎｔｅｒｎ ｒｉｖｅｒ ｑｕｉｌｔ ｓｕｎｓｅｔ'],
    ['with emoji between', 'maple 🍁 otter 🦦 lantern 🏮 river quilt sunset'],
  ] as const) {
    it(`The profile phrase is found ${place}`, () => expect(containsPhrase(text, phrase)).to.equal(true));
  }

  for (const [place, text] of [
    ['in an empty text', ''],
    ['with a word missing', 'maple otter lantern river quilt'],
    ['in another order', 'otter maple lantern river quilt sunset'],
    ['with a word between', 'maple otter lantern big river quilt sunset'],
    ['with a number between', 'maple otter lantern 1 river quilt sunset'],
    ['with a letter wrong', 'maple otter lantern river quilt sunsat'],
  ] as const) {
    it(`The profile phrase is not found ${place}`, () => expect(containsPhrase(text, phrase)).to.equal(false));
  }

  it('An empty phrase is found nowhere', () => {
    expect(containsPhrase('anything', '')).to.equal(false);
    expect(containsPhrase('anything', ' .')).to.equal(false);
  });

  it('The profile phrase is found with anything between its words that is neither letter nor digit', () => {
    const gap = fc.stringMatching(/^[ \t\n\r.,;:!?'"()\-_*/|·—]{0,4}$/);
    fc.assert(
      fc.property(fc.array(gap, { minLength: 5, maxLength: 5 }), fc.string(), (gaps, around) => {
        const text = phrase.split(' ').reduce((all, word, index) => `${all}${gaps[index - 1]}${word.toUpperCase()}`);
        expect(containsPhrase(`${around} ${text} ${around}`, phrase)).to.equal(true);
      }),
    );
  });
});
