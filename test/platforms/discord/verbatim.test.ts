import { expect } from 'chai';
import { onOneLine, verbatim } from '../../../src/platforms/discord/channel-messages.js';

describe('Text from people in Discord', () => {
  it('Text from people is escaped where Discord would read something into it, and nowhere else', () => {
    const plain = "Ann-Marie O'Neil (rank 10–20): 50 % & more, e.g. 12:30. Use /help! Ünïcødé 名前";
    expect(verbatim(plain)).to.equal(plain);
    expect(verbatim('a_b *c* `d` ~~e~~ ||f|| #g >h')).to.equal(
      'a\\_b \\*c\\* \\`d\\` \\~\\~e\\~\\~ \\|\\|f\\|\\| \\#g \\>h',
    );
    expect(verbatim('[x](https://evil.io) discord.gg/e')).to.equal('\\[x\\](https\\://evil.io) discord.gg\\/e');
    expect(verbatim('<@1> <@&2> @everyone </go:1> C:\\')).to.equal(
      '\\<\\@1\\> \\<\\@&2\\> \\@everyone \\</go:1\\> C:\\\\',
    );
  });

  it('Text from people is put on one line, without invisible characters, and keeps joined emoji', () => {
    expect(onOneLine('a\r\n\tb\u2028c')).to.equal('a b c');
    expect(onOneLine('a\u202eb\u200bc\u2066d\u0000e\ufeff\u00ad\u200df')).to.equal('abcde f');
    expect(onOneLine('👩‍👩‍👧 ❤️‍🔥')).to.equal('👩‍👩‍👧 ❤️‍🔥');
  });
});
