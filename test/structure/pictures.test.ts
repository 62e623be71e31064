import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import {
  type LandingView,
  landingFolder,
  landingLooks,
  landingPicture,
  landingViews,
  mostBytes,
  paperFolder,
  paperPictures,
} from '../pictures/picture-files.js';
import { paperPaths, readPapers } from './papers-read.js';
import { root } from './source-files.js';

const folder = join(root, paperFolder);
const files = paperPictures.map((name) => `${name}.webp`);
const sizeOf = (file: string): number => statSync(join(folder, file)).size;
/** The bytes in a view's pictures, in each language and colour. */
const sizesOf = (view: LandingView): number[] =>
  landingLooks.map((look) => statSync(join(root, landingFolder, `${landingPicture(view, look)}.webp`)).size);

describe('The pictures of the papers', () => {
  it('docs/images has the pictures of `npm run pictures` and no others', () => {
    expect(readdirSync(folder)).to.have.members(files);
  });

  it('Each picture is small, and all of them together are', () => {
    const sizes = files.map(sizeOf);
    expect(Math.min(...sizes), 'is a picture').to.be.greaterThan(2_000);
    const landing = landingViews.flatMap(sizesOf);
    expect(Math.max(...sizes, ...landing)).to.be.at.most(mostBytes.one);
    expect(sizes.reduce((sum, size) => sum + size, 0)).to.be.at.most(mostBytes.all);
  });

  it('A view of the landing page shows much the same in each language and colour', () => {
    for (const view of landingViews) {
      const sizes = sizesOf(view);
      expect(Math.min(...sizes), `${view}: a refusal is a small picture`).to.be.greaterThan(Math.max(...sizes) / 2);
    }
  });

  it('Each picture is in a paper, with words for readers who can’t see it', () => {
    const shown = readPapers(paperPaths).flatMap(({ path, text }) =>
      [...text.matchAll(/!\[([^\]]*)\]\(([^)]+)\)/g)].map(([, words = '', target = '']) => ({ path, words, target })),
    );
    expect(shown.filter(({ words }) => words.split(' ').length < 4)).to.deep.equal([]);
    const there = shown.map(({ path, target }) => join(root, path, '..', target));
    expect(there.filter((file) => !existsSync(file))).to.deep.equal([]);
    expect(files.filter((file) => !there.includes(join(folder, file)))).to.deep.equal([]);
  });
});
