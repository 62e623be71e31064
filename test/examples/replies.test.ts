import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { root } from '../structure/source-files.js';
import { listHeading, listOfSilent, repliesFile, replyTexts } from './reply-texts.js';

describe(repliesFile, () => {
  const [transcripts = '', list = ''] = readFileSync(join(root, repliesFile), 'utf8').split(listHeading);

  it('The list of replies shows the current texts: after a change `npm run examples` records them again', () => {
    const lines = list.split('\n').filter((line) => /^[\w.]+: "/.test(line));
    expect(lines).to.deep.equal(listOfSilent(transcripts));
  });

  it('A refusal names an option of its command, never the path of a field in the API', () => {
    expect(transcripts.match(/^- \w+\.[\w.]+: .*/gm) ?? []).to.deep.equal([]);
  });

  it('The list of replies shows at least half of the texts where they are said', () => {
    expect(listOfSilent(transcripts).length).to.be.below(replyTexts().length / 2);
  });
});
