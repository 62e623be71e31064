import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { config, useConfig } from '../../../src/config/config.js';
import { readMarkdown } from '../../../src/lib/markdown.js';
import { locale } from '../../../src/lib/translate.js';
import { api } from '../../support/api.js';
import { removeFolder } from '../../support/remove-folder.js';

// PRIV-15, PRIV-16
describe('The pages of the operator', () => {
  let before: ReturnType<typeof config>;
  let dataDir: string;

  beforeEach(async () => {
    before = config();
    dataDir = await mkdtemp(join(tmpdir(), 'rolelink-'));
    useConfig({ ...before, dataDir });
  });
  afterEach(async () => {
    useConfig(before);
    await removeFolder(dataDir);
  });

  it('Without texts of the operator, /privacy lists the stored data, and /terms reports that there are none', async () => {
    const { status, headers, body } = await api().get('/privacy');
    expect([status, headers.get('content-type')]).to.deep.equal([200, 'text/html; charset=utf-8']);
    expect(body).to.include('<h1>What Rolelink keeps about people</h1>').and.to.include('a text of their own');
    expect(body).to.include(
      '<td>web sessions: a hash, Discord name and picture, browser and system in a word each, the names of the servers you manage</td>',
    );
    expect(body).not.to.match(/\.md"/);
    const terms = await api().get('/terms');
    expect(terms.status).to.equal(404);
    expect(terms.headers.get('content-type')).to.match(/^text\/html/);
    expect(terms.body).to.include('published any terms');
  });

  it('A folder in the place of an operator’s text counts as no text', async () => {
    await Promise.all(['privacy.md', 'terms.md'].map((name) => mkdir(join(dataDir, name))));
    const { status, body } = await api().get('/privacy');
    expect(status).to.equal(200);
    expect(body).to.include('<h1>What Rolelink keeps about people</h1>');
    expect((await api().get('/terms')).status).to.equal(404);
  });

  it('/privacy lists the stored data in the language of the browser', async () => {
    for (const name of locale.options.filter((each) => each !== 'en')) {
      const { title } = await readMarkdown(await readFile(`src/locales/${name}-privacy.md`, 'utf8'), '');
      const { body } = await api().get('/privacy', { 'accept-language': name });
      expect(body, name).to.include(`<html lang="${name}">`).and.to.include(`<h1>${title}</h1>`);
      expect(body, name).to.include('<code>Idempotency-Key</code>').and.not.to.match(/\.md"/);
    }
  });

  it('/privacy and /terms show the operator’s text as it is now, and nothing that runs', async () => {
    const hostile =
      '# My <b>rules</b>\n\nBe **kind**, [see](https://example.org/?a=1&b="x) or [do](javascript:alert(1)).';
    await writeFile(join(dataDir, 'terms.md'), `${hostile}\n<script>alert(1)</script>\n`);
    const { status, headers, body } = await api().get('/terms');
    expect(status).to.equal(200);
    expect(headers.get('content-security-policy')).to.match(/default-src 'none'/);
    expect(body).to.include('<h1>My &lt;b&gt;rules&lt;/b&gt;</h1>').and.to.include('<strong>kind</strong>');
    expect(body).to.include('href="https://example.org/?a=1&amp;b=%22x"');
    expect(body).not.to.match(/<script|href="javascript/);
    await writeFile(join(dataDir, 'privacy.md'), 'Nothing is kept.');
    expect((await api().get('/privacy')).body).to.include(
      '<h1>Privacy</h1>\n<div lang=""><p>Nothing is kept.</p></div>',
    );
  });

  it('The operator’s texts style nothing and load nothing', async () => {
    const { content } = await readMarkdown(
      '| a |\n|:-:|\n| ![b](https://example.org/b.png) |\n\n[c](//example.org) \u202ed&#8238;',
      '',
    );
    expect(content.source).to.include('<th>a</th>').and.to.include('!<a href="https://example.org/b.png">b</a>');
    expect(content.source).to.match(/<p>c d<\/p>$/);
  });

  it('/privacy refuses an operator’s text that is too long, and explains it', async () => {
    await writeFile(join(dataDir, 'privacy.md'), 'x'.repeat(128 * 1024 + 1));
    const { status, body } = await api().get('/privacy');
    expect(status).to.equal(404);
    expect(body).to.include('privacy.md is longer than 128 KB');
  });

  it('The operator’s texts may have headings, lists, tables and emphasis', async () => {
    const { title, content } = await readMarkdown(
      'Before\n# T\n## A `b`\ntext\nmore\n- one\n  goes on\n- two\n\n1. x\n2. y\n\n| a | b |\n|---|---|\n| 1 | *2* |\n\n<mailto:a@b.c>',
      'none',
    );
    expect(title).to.equal('T');
    expect(content.source.replaceAll(/(?<=>)\n/g, '')).to.equal(
      '<p>Before</p><h2>A <code>b</code></h2><p>text\nmore</p><ul><li>one\ngoes on</li><li>two</li></ul>' +
        '<ol><li>x</li><li>y</li></ol><table><thead><tr><th>a</th><th>b</th></tr></thead>' +
        '<tbody><tr><td>1</td><td><em>2</em></td></tr></tbody></table><p><a href="mailto:a@b.c">mailto:a@b.c</a></p>',
    );
  });
});
