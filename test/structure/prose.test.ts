import { expect } from 'chai';
import { type Paper, paperPaths, readPapers, withoutCode } from './papers-read.js';
import { readDashboardSources, readSources } from './source-files.js';

/** Words that make a reader wait for the subject: at most this many in 1,000 words. */
const relative = /\b(?:who|whoever|whom|whose|what|whatever)\b/gi;
const mostRelative = 6;
/** Comments and test titles hold far fewer. */
const mostInComments = 1.5;
const mostInTitles = 2;
const longestSentence = 30;

/** In characters: anything longer is a text in a template, or a licence. */
const longestComment = 3_000;

interface Sentence {
  line: number;
  text: string;
}

const words = (text: string): string[] => text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word));

/** Code as one word, and a link as its text. */
const plain = (text: string): string =>
  text
    .replaceAll(/`[^`]*`/g, 'code')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll('**', '');

/** The lines that are prose: neither code, nor a table, nor a heading. Others are empty. */
function proseLines(text: string): string[] {
  const emptied = text.replaceAll(/^ *```.*?^ *```$/gms, (block) => block.replaceAll(/[^\n]/g, ''));
  return emptied.split('\n').map((line) => (/^\s*[|#]/.test(line) ? '' : line));
}

/** The sentences of a paper, each with the line on which its paragraph or item begins. */
function sentencesOf(text: string): Sentence[] {
  const blocks: Sentence[] = [];
  let open: Sentence | null = null;
  for (const [at, line] of proseLines(text).entries()) {
    const isItem = /^\s*(?:[-*]|\d+\.) /.test(line);
    if (line.trim() === '' || isItem) open = null;
    if (line.trim() === '') continue;
    if (open === null) {
      open = { line: at + 1, text: '' };
      blocks.push(open);
    }
    open.text += ` ${line.trim()}`;
  }
  return blocks.flatMap(({ line, text: block }) =>
    plain(block)
      .split(/(?<=[.!?:;])\s+/)
      .map((sentence) => ({ line, text: sentence.trim() })),
  );
}

const shareOf = (text: string): number =>
  (1000 * (text.match(relative) ?? []).length) / Math.max(1, words(text).length);

/** The comments of the sources, one text a file, without the marks of their lines. */
function readComments(): Paper[] {
  const sources = [...readSources('src', 'commands', 'listeners', 'routes'), ...readDashboardSources()];
  return sources
    .filter(({ path }) => !path.includes('api-types'))
    .map(({ path, text }) => ({
      path,
      text: (text.match(/\/\*.*?\*\/|(?<=^|\s)\/\/[^\n]*/gms) ?? [])
        .filter((comment) => comment.length < longestComment)
        .map((comment) => comment.replaceAll(/\n\s*\*/g, ' '))
        .join('\n'),
    }));
}

/** Fails with each of these findings on a line of its own. */
const expectNone = (found: readonly string[]): void => {
  expect(found, `\n${found.join('\n')}\n`).to.deep.equal([]);
};

describe('The prose of the papers', () => {
  const papers = readPapers(paperPaths.filter((path) => path !== '.env.example'));

  it('No paper has more than six relative pronouns in 1,000 words', () => {
    const heavy = papers.flatMap(({ path, text }) => {
      const prose = proseLines(text).join('\n');
      const share = shareOf(prose);
      if (share <= mostRelative) return [];
      const examples = sentencesOf(text).filter((sentence) => sentence.text.match(relative) !== null);
      return examples.map(({ line, text: sentence }) => `${path}:${line} (${share.toFixed(1)}): ${sentence}`);
    });
    expectNone(heavy);
  });

  it('No sentence of a paper has more than 30 words', () => {
    const long = papers.flatMap(({ path, text }) =>
      sentencesOf(text)
        .filter((sentence) => words(sentence.text).length > longestSentence)
        .map(({ line, text: sentence }) => `${path}:${line} (${words(sentence).length}): ${sentence}`),
    );
    expectNone(long);
  });

  it('No sentence of a paper opens with a relative clause', () => {
    const opening = /^(?:[-*]|\d+\.)?\s*(?:who|whoever|whom|whose|what|whatever)\b(?!.*\?$)/i;
    const found = papers.flatMap(({ path, text }) =>
      sentencesOf(text)
        .filter((sentence) => opening.test(sentence.text))
        .map(({ line, text: sentence }) => `${path}:${line}: ${sentence}`),
    );
    expectNone(found);
  });

  it('No link of a paper is without a target', () => {
    const empty = papers.flatMap(({ path, text }) =>
      [...withoutCode(text).matchAll(/\[[^\]]*\]\(\s*#?\s*\)/g)].map(([link]) => `${path} ${link}`),
    );
    expectNone(empty);
  });
});

describe('The prose of comments and test titles', () => {
  it('Comments have at most 1.5 relative pronouns in 1,000 words', () => {
    const comments = readComments();
    const share = shareOf(comments.map(({ text }) => text).join('\n'));
    process.stdout.write(`      comments: ${share.toFixed(1)} relative pronouns in 1,000 words\n`);
    const worst = comments
      .map(({ path, text }) => ({ path, share: shareOf(text) }))
      .filter((each) => each.share > mostInComments)
      .sort((a, b) => b.share - a.share);
    expect(share, worst.map((each) => `${each.path} ${each.share.toFixed(1)}`).join('\n')).to.be.at.most(
      mostInComments,
    );
  });

  it('Test titles have at most 2 relative pronouns in 1,000 words', () => {
    const titles = readSources('test').flatMap(({ path, text }) =>
      [...text.matchAll(/\bit\((['"`])(.+?)\1,/g)].map(([, , title = '']) => ({ path, title })),
    );
    const share = shareOf(titles.map(({ title }) => title).join('\n'));
    const found = titles.filter(({ title }) => title.match(relative) !== null);
    expect(share, found.map(({ path, title }) => `${path}: ${title}`).join('\n')).to.be.at.most(mostInTitles);
  });
});
