import { expect } from 'chai';
import { readSources } from '../../structure/source-files.js';

// ENV-28
describe('The needs of the service of its database', () => {
  it('No source uses a transaction, a change stream or a TTL index', () => {
    const needing =
      /\.(?:startSession|startTransaction|withTransaction)\(|\bexpireAfterSeconds\b|\b(?:connection|collection\([^)]*\)|[A-Z]\w+)\.watch\(/;
    const sources = readSources('src', 'commands', 'listeners', 'routes');
    expect(sources.length).to.be.above(300);
    expect(sources.filter(({ text }) => needing.test(text)).map(({ path }) => path)).to.deep.equal([]);
  });
});
