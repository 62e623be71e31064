import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { loadConfig } from '../../src/config/config.js';
import { root } from '../structure/source-files.js';

const read = (name: string): string => readFileSync(join(root, 'docs/deploy', name), 'utf8');

describe('docs/deploy', () => {
  for (const name of ['Caddyfile', 'nginx.conf', 'traefik.yaml']) {
    it(`${name} passes all but /metrics on to where the service listens, as one proxy`, () => {
      const { host, port } = loadConfig({ DISCORD_TOKEN: 'x' });
      const text = read(name);
      expect(text).to.match(new RegExp(`\\b${host}:${port}\\b`));
      expect(text.replaceAll(/^\s*#.*$/gm, '')).to.include('/metrics');
      const [, publicUrl = '', trustProxy = ''] = /PUBLIC_URL=(\S+) and TRUST_PROXY=(\d+)/.exec(text) ?? [];
      const config = loadConfig({ DISCORD_TOKEN: 'x', PUBLIC_URL: publicUrl, TRUST_PROXY: trustProxy });
      expect([config.publicUrl, config.trustProxy]).to.deep.equal(['https://rolelink.example.org', 1]);
    });
  }

  it('rolelink.service starts a script that exists, with its data where systemd makes a folder for it', () => {
    const unit = read('rolelink.service');
    const [, script = ''] = /^ExecStart=\/usr\/bin\/node (\S+) start$/m.exec(unit) ?? [];
    expect(existsSync(join(root, script))).to.equal(true);
    const [, folder] = /^StateDirectory=(\w+)$/m.exec(unit) ?? [];
    expect(unit).to.include(`DATA_DIR=/var/lib/${folder}\n`);
  });
});
