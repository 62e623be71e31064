import { execFileSync } from 'node:child_process';
import { expect } from 'chai';
import { type HttpSide, startHttp } from './http-setup.js';
import { type OpenApi, operationsOf } from './openapi-setup.js';

const unescaped = (html: string): string =>
  html
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');

// DASH-45, DASH-46
describe('The calls of /docs', () => {
  let http: HttpSide;
  let text: string;
  let document: OpenApi;
  before(async () => {
    http = await startHttp();
    ({ text } = await http.send('GET', '/docs'));
    document = (await http.send('GET', '/api/openapi.json')).json;
  });
  after(() => http.close());

  // DASH-23
  it('/docs has a line for curl in each operation, which a shell runs as that call', async () => {
    const articles = [...text.matchAll(/<article id="(\w+)">.*?<\/article>/gs)];
    const lines = articles.flatMap(([article = '', id = '']) => {
      const [, line] = /<pre>(curl .*?)<\/pre>/s.exec(article) ?? [];
      return line === undefined ? [] : [{ id, line: unescaped(line) }];
    });
    const operations = operationsOf(document);
    expect(lines.map(({ id }) => id)).to.have.members(operations.map(({ operation }) => operation.operationId));
    const script = ['curl() { printf "%s\\0" "$@"; printf "\\1"; }', 'ROLELINK_URL=https://bot.example', 'GUILD_ID=7'];
    const told = execFileSync('sh', ['-c', [...script, ...lines.map(({ line }) => line)].join('\n')]).toString();
    const calls = told.split('\u0001').map((call) => call.split('\0').slice(0, -1));
    for (const [index, { id }] of lines.entries()) {
      const { operation, name } = operations.find((each) => each.operation.operationId === id) ?? {};
      const words = calls[index] ?? [];
      const url = words.find((word) => word.startsWith('https://bot.example/'));
      expect(url, id).not.to.equal(undefined);
      expect(words.includes('-X') ? words[words.indexOf('-X') + 1] : 'GET', id).to.equal(name?.split(' ')[0]);
      const example = operation?.requestBody?.content?.['application/json']?.example;
      const body = words.includes('--data') ? words[words.indexOf('--data') + 1] : undefined;
      if (example !== undefined) expect(JSON.parse(body ?? ''), id).to.deep.equal(example);
    }
    const guild = lines.find((_, index) => calls[index]?.includes('https://bot.example/api/guilds/7'));
    expect(guild?.line).to.contain('Authorization: Bot $ROLELINK_TOKEN');
  });

  it('/docs explains how to get a token, and lists every path', async () => {
    expect(text).to.contain('<h2 id="token">').and.to.contain('Create a token');
    const index = text.slice(text.indexOf('<h2 id="paths">'));
    for (const { name } of operationsOf(document))
      expect(index).to.contain(`<code>${name.slice(name.indexOf(' ') + 1)}</code>`);
  });
});
