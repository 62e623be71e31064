import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { config } from '../../../src/config.js';
import { root } from '../../structure/source-files.js';
import { api } from '../../support/api.js';

describe('the pages of the operator', () => {
  const fileOf = (name: string) => join(config().dataDir, `${name}.md`);
  afterEach(() => {
    for (const name of ['privacy', 'terms']) rmSync(fileOf(name), { force: true });
  });

  it('are not found until the operator has written them', async () => {
    for (const path of ['/privacy', '/terms']) expect((await api().get(path)).status).to.equal(404);
  });

  it('show the file in DATA_DIR, as text', async () => {
    writeFileSync(fileOf('privacy'), '# What we keep\n\nOne & two.\n\n## Why\n\n- a <b>\n- c\n');
    const { status, body } = await api().get('/privacy');
    expect(status).to.equal(200);
    expect(body).to.contain(
      '<h1>What we keep</h1>\n<p>One &amp; two.</p><h2>Why</h2><ul><li>a &lt;b&gt;</li><li>c</li></ul>',
    );
    expect((await api().get('/terms')).status).to.equal(404);
  });

  for (const [name, title] of [
    ['privacy', 'Privacy'],
    ['terms', 'Terms'],
  ] as const) {
    it(`show the example of ${name}`, async () => {
      writeFileSync(fileOf(name), readFileSync(join(root, `docs/deploy/${name}.example.md`)));
      const { body } = await api().get(`/${name}`);
      expect(body).to.contain(`<h1>${title}</h1>`).and.contain('<h2>').and.contain('<li>').and.not.contain('## ');
    });
  }
});
