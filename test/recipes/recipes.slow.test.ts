import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { root } from '../structure/source-files.js';
import { Copy } from './copy.js';
import type { Recipe } from './recipe.js';
import { recipesOfData } from './recipes-of-data.js';
import { recipesOfEdges } from './recipes-of-edges.js';

const recipes = [...recipesOfEdges, ...recipesOfData];

/** The tests that ask for a place, or show a followed recipe at its doors. */
const tests = [
  ...['lib/every-locale', 'lib/dashboard-locales', 'lib/privacy-texts', 'dashboard/generated'],
  ...['structure/stored-size', 'structure/dashboard-sources', 'structure/import-graph'],
  ...[
    'features/privacy/export-coverage',
    'core/settings/older-documents',
    'core/settings/setting-doors',
    'core/audit/every-change',
  ],
  ...['edges/http/openapi-webhooks', 'edges/http/openapi-operations', 'edges/interactions/command-limits'],
  'features/events/event-fields',
].map((name) => `dist/test/${name}.test.js`);

/** The places and commands that CONTRIBUTING names under "How to add …" for a thing. */
function placesOf(thing: string): string[] {
  const [, recipe = ''] = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8').split(`- **${thing}:**`);
  const place =
    /`((?:src|test|docs|commands|listeners|routes)\/[^`]*|src\/locales|npm run \w+|(?:log_field|setting)\.<path>)`/g;
  const [text = ''] = recipe.split(/\n- \*\*|\n## /);
  return [...text.matchAll(place)].map(([, path = '']) => path.replace(/\/(<\w+>)?$/, '').replace(/\/<\w+>$/, ''));
}

const isWithin = (place: string, named: string): boolean => place === named || place.startsWith(`${named}/`);

describe('The recipes of CONTRIBUTING', function () {
  this.timeout(1_200_000);
  let copy: Copy;
  /** The files that the compiler complained about after every recipe's first step. */
  let asked: string[];
  /** The tests' failures when only the compiler's wishes were met. */
  let missed: Record<string, string>;

  before(() => {
    copy = new Copy();
    const each = (follow: (recipe: Recipe) => void) => recipes.forEach(follow);
    each(({ given, first }) => {
      given?.(copy);
      for (const step of Object.values(first)) step(copy);
    });
    const incremental = ['--incremental', '--tsBuildInfoFile', 'dist/.types'];
    asked = copy.check('--noEmit', ...incremental);
    const isOfDashboard = ([place, { blames = place }]: [string, { blames?: string }]) =>
      blames.startsWith('src/dashboard');
    const compiled = recipes.flatMap(({ compiled = {} }) => Object.entries(compiled));
    for (const [place, { step, blames = place }] of compiled) if (!isOfDashboard([place, { blames }])) step(copy);
    copy.check('--noCheck');
    missed = copy.failuresOf(...tests);
    copy.run('dist/test/dashboard/write-generated.js');
    asked.push(...copy.check('-p', 'src/dashboard'));
    for (const [place, { step, blames = place }] of compiled) if (isOfDashboard([place, { blames }])) step(copy);
    each(({ tested = {} }) => {
      for (const { step } of Object.values(tested)) step?.(copy);
    });
  });
  after(() => copy.remove());

  for (const { thing, first, compiled = {}, tested = {}, else: others = [] } of recipes) {
    it(`The recipe of ${thing} names exactly the places that one needs`, () => {
      const named = placesOf(thing);
      const pointedAt = Object.entries(compiled).flatMap(([place, { blames }]) => (blames === undefined ? [] : place));
      const needed = [...Object.keys(first), ...pointedAt, ...Object.keys(tested)];
      const unnamed = needed.filter((place) => !named.some((each) => isWithin(place, each)));
      expect(unnamed, 'needed, and named neither here nor by the compiler').to.deep.equal([]);
      const known = [...needed, ...Object.keys(compiled), ...others];
      expect(named.filter((each) => !known.some((place) => isWithin(place, each)))).to.deep.equal([]);
    });

    it(`Each place of ${thing} is asked for by the compiler, or by a test`, () => {
      const wanted = Object.entries(compiled).map(([place, { blames = place }]) => blames);
      expect(asked).to.include.members(wanted);
      for (const { test } of Object.values(tested))
        expect(
          Object.keys(missed).some((title) => title.includes(test)),
          test,
        ).to.equal(true);
    });
  }

  it('A project in which every recipe was followed has no error, and its things are seen at every door', () => {
    expect(copy.check()).to.deep.equal([]);
    copy.run('dist/test/dashboard/write-generated.js');
    expect(copy.check('-p', 'src/dashboard')).to.deep.equal([]);
    expect(copy.failuresOf('dist/test/examples/record-examples.js')).to.deep.equal({});
    // The service reads its build's examples.
    copy.check('--noCheck');
    expect(copy.failuresOf(...tests)).to.deep.equal({});
  });
});
