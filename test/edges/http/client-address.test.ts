import { expect } from 'chai';
import { config, useConfig } from '../../../src/config/config.js';
import { countedAddress } from '../../../src/edges/http/client-address.js';
import { createRateLimits } from '../../../src/edges/http/rate-limits.js';
import { expectProblem, type HttpSide, startHttp } from './http-setup.js';

// API-41
describe('The address that limits count', () => {
  let http: HttpSide;
  let direct: ReturnType<typeof config>;
  before(async () => {
    direct = config();
    useConfig({ ...direct, trustProxy: 1 });
    http = await startHttp({ rateLimits: await createRateLimits() });
  });
  after(async () => {
    useConfig(direct);
    await http.close();
  });

  const from = (forwarded: string, path = '/docs') =>
    http.send('GET', path, { headers: { 'x-forwarded-for': forwarded } });
  const left = async (forwarded: string) => Number((await from(forwarded)).headers['ratelimit-remaining']);

  // API-40
  it('Rate limits count IPv6 by its /64, in any spelling, and IPv4 by the whole address', async () => {
    expect(await left('2001:db8:1:2::1')).to.equal(119);
    expect(await left('2001:db8:1:2:ffff:ffff:ffff:ffff')).to.equal(118);
    expect(await left('2001:0DB8:0001:0002:0:0:0:3')).to.equal(117);
    expect(await left('2001:db8:1:3::1')).to.equal(119);
    expect(await left('198.51.100.7')).to.equal(119);
    expect(await left('::ffff:198.51.100.7')).to.equal(118);
    expect(await left('198.51.100.8')).to.equal(119);
    expect(countedAddress('2001:db8:1:2:3:4:5:6')).to.equal('2001:db8:1:2::/64');
  });

  it('An address is counted without the port that a proxy writes behind it', async () => {
    expect(await left('198.51.100.20:4711')).to.equal(119);
    expect(await left('198.51.100.20:4712')).to.equal(118);
    expect(await left('198.51.100.20')).to.equal(117);
    expect(await left('[2001:db8:5:6::1]:4711')).to.equal(119);
    expect(await left('[2001:db8:5:6::2]')).to.equal(118);
    expect(await left('2001:db8:5:6::3')).to.equal(117);
    expect(await left('[::ffff:198.51.100.20]:80')).to.equal(116);
  });

  it('The service refuses anything that a proxy forwards instead of an address', async () => {
    for (const rubbish of [
      ...[
        'unknown',
        'x',
        '_hidden',
        '198.51.100.7, ',
        '"',
        '198.51.100.7:',
        '198.51.100.7:http',
        '198.51.100.7:123456',
      ],
      ...['[198.51.100.7]:80', '[2001:db8::1', '[2001:db8::1]80', '[]:80', '[x:y]:80', '198.51.100.777:80'],
    ]) {
      const { errors } = expectProblem(await from(rubbish, '/api/openapi.json'), 400, 'invalid_request');
      expect(
        errors?.map(({ path }) => path),
        rubbish,
      ).to.deep.equal(['headers.x-forwarded-for']);
    }
    expect((await from('rubbish, 198.51.100.9')).status).to.equal(200);
    expect((await http.send('GET', '/docs')).status).to.equal(200);
  });

  it('The service ignores X-Forwarded-For where there is no proxy', async () => {
    useConfig(direct);
    const alone = await startHttp();
    const answer = await alone.send('GET', '/docs', { headers: { 'x-forwarded-for': 'rubbish' } });
    await alone.close();
    expect(answer.status).to.equal(200);
  });
});
