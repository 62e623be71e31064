import { expect } from 'chai';
import { connectDatabase } from '../../../src/platforms/database/connect.js';
import { openStore } from '../../../src/platforms/database/data-store.js';
import { connectionFault } from '../../../src/platforms/database/database-address.js';

/** The message about this address, whether it is refused unread or nothing answers there. */
async function told(uri: string): Promise<string> {
  const opened = await openStore({ uri, dataDir: '', beside: true, name: '--to' }).catch((error: unknown) => error);
  expect(opened).to.be.an.instanceOf(Error).with.property('name', 'DatabaseStartError');
  return opened instanceof Error ? opened.message : '';
}

// ENV-10, ENV-11
describe('The address of a database', () => {
  for (const uri of [
    'mongodb://us3r:hunt3r/2@db.invalid/name',
    'mongodb://us3r:hunt3r@2@db.invalid/name',
    'mongodb://us3r:hunt3r?2@db.invalid/name',
    'mongodb://us3r:2017/hunt3r@db.invalid/name',
    'mongodb://us3r:2017?hunt3r@db.invalid/name',
    'mongodb://us3r:hunt3r#2@db.invalid',
    'mongodb://us3r:hunt3r:2@db.invalid',
    'mongodb://us3r:hunt3r%2@db.invalid',
    'mongodb://us3r:hunt3r%zz@db.invalid',
    'mongodb+srv://us3r:hunt3r/@db.invalid/',
    'mongodb://us3r:hunt3r',
    'mongodb://db.invalid/name?tlsCertificateKeyFilePassword=hunt3r@2017',
    'mongodb://us3r:ok@db.invalid/name?tlsCertificateKeyFilePassword=hunt3r@2017',
  ]) {
    it(`A malformed database address is refused with the way to encode a password, and without the password: ${uri}`, async () => {
      const words = await told(uri);
      expect(words).to.contain('encodeURIComponent').and.contain('--to');
      expect(words).to.not.match(/us3r|hunt3r|2017/);
      expect(words).to.not.contain('\n');
    });
  }

  it('The start refuses a malformed database address in the same words', async () => {
    const started = connectDatabase({ uri: 'mongodb://us3r:hunt3r/2@db.invalid/name', dataDir: '' });
    const error: unknown = await started.then(
      () => undefined,
      (caught: unknown) => caught,
    );
    expect(error).to.have.property('message').that.contains('MONGODB_URI').and.not.contains('hunt3r');
  });

  for (const [uri, shown] of [
    ['mongodb://us3r:hunt3r@a.example,b.example:27018/name?replicaSet=rs', 'mongodb://a.example,b.example:27018/name '],
    ['mongodb+srv://us3r:hunt3r@a.example/?tlsCertificateKeyFilePassword=s3cret', 'mongodb+srv://a.example '],
    ['mongodb://[2001:db8::1]:27017/name', 'mongodb://[2001:db8::1]:27017/name '],
  ] as const) {
    it(`A database address is shown by scheme, hosts and database only: ${shown}`, () => {
      const { message } = connectionFault(uri, 'MONGODB_URI', new Error('it does not answer'));
      expect(message).to.equal(`Can't connect to MongoDB at ${shown}(MONGODB_URI): it does not answer`);
    });
  }

  it('A driver’s message about a database address is kept only if it repeats no secret', async () => {
    const uri = 'mongodb://us3r:hunt%2Fr@db.invalid/?tlsCertificateKeyFilePassword=s3cret&nosuch=1&w=-7';
    const words = await told(uri);
    expect(words)
      .to.contain('mongodb://db.invalid')
      .and.not.match(/s3cret|hunt|us3r/);
    const refused = new Error('connect ECONNREFUSED 127.0.0.1:27017');
    expect(connectionFault(`${uri}&w=1`, 'MONGODB_URI', refused).message).to.contain(refused.message);
    for (const secret of ['hunt%2Fr', 'hunt/r', 's3cret']) {
      expect(connectionFault(uri, 'MONGODB_URI', new Error(`bad value ${secret}`)).message).to.not.contain(secret);
    }
  });
});
