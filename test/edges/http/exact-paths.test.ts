import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { allRoutes, type HttpSide, startHttp } from './http-setup.js';

const example = (name: string): string =>
  readFileSync(join(import.meta.dirname, '../../../../docs/deploy', name), 'utf8');

/** Address spellings that some server takes for the same. */
const spellings = (path: string): string[] => {
  const encoded = path.replace(/[a-z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`);
  return [`${path}/`, `${path}//`, `/${path}`, path.toUpperCase(), encoded, `${path}/.`, `${path};a=b`, `/.${path}`];
};

// API-6
describe('The paths of the service', () => {
  let http: HttpSide;

  before(async () => {
    http = await startHttp();
  });
  after(() => http.close());

  const status = async (method: string, path: string) => (await http.send(method, path, {})).status;

  it('/metrics is answered in that spelling alone', async () => {
    expect(await status('GET', '/metrics')).to.equal(200);
    for (const path of spellings('/metrics')) expect(await status('GET', path), path).to.equal(404);
  });

  it('A route is served neither with a slash at its end nor in other letters', async () => {
    const filled = (path: string) => path.replaceAll(/:\w+/g, '1');
    for (const { method, path } of allRoutes()) {
      const own = filled(path);
      expect(await status(method, `${own}/`), `${method} ${own}/`).to.equal(404);
      const loud = own.replace(/[a-z]+/, (word) => word.toUpperCase());
      expect(await status(method, loud), `${method} ${loud}`).to.equal(404);
    }
  });

  it('A page of the dashboard is served in its own letters alone', async () => {
    for (const path of ['/sign-in', '/me', '/admin']) {
      expect(await status('GET', path), path).to.be.oneOf([200, 503]);
      expect(await status('GET', path.toUpperCase()), path).to.equal(404);
    }
    for (const path of ['/me/', '/sign-in/', '/G/1', '/Assets/x.js', '/INDEX.HTML'])
      expect(await status('GET', path), path).to.equal(404);
  });

  it('The proxies of the examples refuse /metrics in any letter case, and any path below it', () => {
    const patterns = [/location ~\* (\S+) \{/, /PathRegexp\(`\(\?i\)([^`]+)`\)/].map((at, index) => {
      const [, pattern = ''] = at.exec(example(['nginx.conf', 'traefik.yaml'][index] ?? '')) ?? [];
      return new RegExp(pattern, 'i');
    });
    for (const pattern of patterns) {
      for (const path of ['/metrics', '/metrics/', '/METRICS', '/Metrics/x']) expect(path).to.match(pattern);
      for (const path of ['/', '/metricsfoo', '/api/metrics', '/g/metrics']) expect(path).to.not.match(pattern);
    }
    // Caddy's path matcher ignores case.
    expect(example('Caddyfile')).to.contain('@metrics path /metrics /metrics/*\n\trespond @metrics 404');
  });
});
