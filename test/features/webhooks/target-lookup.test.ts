import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { expect } from 'chai';
import { networkLookup } from '../../../src/features/webhooks/target-lookup.js';
import { type NameServer, startNameServer } from './name-server.js';

describe('Lookup of webhook targets', () => {
  let server: NameServer;
  const resolver = new Resolver({ timeout: 2_000, tries: 1 });
  before(async () => {
    server = await startNameServer({
      'both.example': ['93.184.215.14', '93.184.215.15', '2606:2800:21f:cb07:6820:80da:af6b:8b2c'],
      'four.example': ['93.184.215.14'],
      'six.example': ['2606:2800:21f:cb07:6820:80da:af6b:8b2c'],
      'empty.example': [],
      'silent.example': null,
    });
    resolver.setServers([server.address]);
  });
  after(() => server.close());

  function lookUp(
    hostname: string,
  ): Promise<{ addresses?: LookupAddress[]; code?: string | undefined; message?: string }> {
    return new Promise((resolve) => {
      networkLookup(resolver)(hostname, { all: true }, (error, addresses) => {
        resolve(error ? { code: error.code, message: error.message } : { addresses: addresses as LookupAddress[] });
      });
    });
  }

  it('The lookup of webhook targets gives all addresses of both families', async () => {
    const four = { address: '93.184.215.14', family: 4 };
    const six = { address: '2606:2800:21f:cb07:6820:80da:af6b:8b2c', family: 6 };
    expect((await lookUp('both.example')).addresses).to.have.deep.members([
      four,
      { address: '93.184.215.15', family: 4 },
      six,
    ]);
    expect(await lookUp('four.example')).to.deep.equal({ addresses: [four] });
    expect(await lookUp('six.example')).to.deep.equal({ addresses: [six] });
  });

  it('The lookup of webhook targets distinguishes a name without addresses from an unresolved one', async () => {
    expect(await lookUp('nobody.example')).to.deep.equal({
      code: 'ENOTFOUND',
      message: 'nobody.example has no address',
    });
    expect((await lookUp('empty.example')).code).to.equal('ENOTFOUND');
    const silent = { code: 'EAI_AGAIN', message: 'silent.example could not be resolved' };
    expect(await lookUp('silent.example')).to.deep.equal(silent);
  });

  it('The lookup of webhook targets waits for a slow name server without keeping others waiting', async () => {
    const slow = Promise.all(Array.from({ length: 50 }, () => lookUp('silent.example')));
    const quick = await Promise.race([slow.then(() => 'slow'), lookUp('four.example').then(() => 'quick')]);
    expect(quick).to.equal('quick');
    await slow;
  });
});
