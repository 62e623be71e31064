import { type HttpSide, startHttp } from './http-setup.js';
import { refuseMalformedIds, tryOddValues } from './malformed-values.js';
import { expectUnchanged, type FilledGuild, fillGuild, settled } from './walk-setup.js';

// AUTH-34
describe('Malformed values in paths and queries', () => {
  let http: HttpSide;
  let guild: FilledGuild;

  before(async () => {
    [http, guild] = [await startHttp(), await fillGuild()];
  });
  after(() => http.close());

  it('No route finds any malformed id as any of its parameters, and none changes anything', async () => {
    const untouched = await settled([guild]);
    await refuseMalformedIds(http, guild);
    await expectUnchanged([guild], untouched);
  });

  it('No value of any query parameter breaks the service', async () => {
    await tryOddValues(http, guild);
  });
});
