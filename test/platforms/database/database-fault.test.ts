import { expect } from 'chai';
import { mongo } from 'mongoose';
import { DatabaseStartError } from '../../../src/lib/start-error.js';
import { databaseFault } from '../../../src/platforms/database/database-fault.js';

const { MongoNetworkError, MongoServerError } = mongo;
const ended = { whyEnded: async () => new DatabaseStartError('Its files are damaged.') };
const running = { whyEnded: async () => null };

/** A start's message, which must be a sentence and not an error with a stack. */
async function wordsOn(error: unknown, engine?: typeof ended | typeof running): Promise<string> {
  const fault = await databaseFault(error, engine);
  expect(fault).to.be.instanceOf(DatabaseStartError);
  return String((fault as DatabaseStartError).message);
}

// ENV-37
describe('The words of a start that the database ends', () => {
  it('The end of the engine explains a command that it cut, alone or among indexes', async () => {
    const cut = new MongoNetworkError('connection 1 closed');
    expect(await wordsOn(cut, ended)).to.equal('Its files are damaged.');
    const indexes = new DatabaseStartError("Indexes can't be built.\nmembers: connection 1 closed", { cause: cut });
    expect(await wordsOn(indexes, ended)).to.equal('Its files are damaged.');
    expect(await wordsOn(indexes, running)).to.equal(indexes.message);
  });

  it('A server that goes away is named as the cause', async () => {
    expect(await wordsOn(new MongoNetworkError('gone'))).to.equal(
      'The database stopped responding: gone. Start again.',
    );
  });

  it('A disk too full for indexes is named as the cause', async () => {
    const cause = new MongoServerError({ message: 'available disk space is less than required', code: 14031 });
    const indexes = new DatabaseStartError("Indexes can't be built.", { cause });
    expect(await wordsOn(indexes, running))
      .to.contain('too full')
      .and.contain('Free some space');
  });

  it('A database user without write access is reported with the missing role', async () => {
    const refused = new MongoServerError({ message: 'not authorized on rolelink', code: 13 });
    expect(await wordsOn(refused))
      .to.contain('not authorized on rolelink')
      .and.contain('readWrite');
  });

  it('An error that is none of the database stays as it is', async () => {
    const fault = new TypeError('x is not a function');
    expect(await databaseFault(fault, running)).to.equal(fault);
  });
});
