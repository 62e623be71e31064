import { expect } from 'chai';
import { allProblemCodes, type ProblemCode, statusesOf } from '../../../src/edges/http/problem.js';
import { asPerson } from '../../support/api.js';
import { buildGuild, buildPerson, tokenFor } from '../../support/build.js';
import { platformAdminId } from '../../support/world.js';
import { allRoutes, expectProblem, type HttpSide, sessionHeaders, startHttp } from './http-setup.js';

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'];

describe('HTTP refusals', () => {
  let http: HttpSide;
  before(async () => {
    http = await startHttp();
  });
  after(() => http.close());

  const me = async (authorization: string) => http.send('GET', '/api/auth/me', { headers: { authorization } });

  // API-7
  it('The table of /docs has one line for each refusal, with its statuses and something in every column', async () => {
    const { text } = await http.send('GET', '/docs');
    const rows = [...text.matchAll(/<tr id="refusal-(\w+)">(.+?)<\/tr>/gs)].map(
      ([, code = '', row = '']) => [code, row.split(/<t[hd][^>]*>/).slice(1)] as const,
    );
    expect(rows.map(([code]) => code)).to.deep.equal([...allProblemCodes]);
    for (const [code, cells] of rows) {
      const words = cells.map((cell) => cell.replaceAll(/<[^>]+>/g, '').trim());
      expect(words.slice(0, 2), code).to.deep.equal([code, statusesOf(code as ProblemCode).join(', ')]);
      expect(words, code).to.have.length(5).and.not.include('');
    }
  });

  // AUTH-35
  it('Refusals do not reveal that a platform admin’s path exists, with any method', async () => {
    const { token } = await buildGuild();
    const person = await sessionHeaders((await buildPerson()).chatUserId);
    const callers = [{}, { authorization: `Bot ${token}` }, { authorization: 'Bot x' }, person];
    const admin = await sessionHeaders(platformAdminId);
    const routes = allRoutes().filter(({ options }) => options.access.kind === 'platform_admin');
    expect(routes.length).to.be.above(3);
    for (const { path, method } of routes) {
      const taken = routes.filter((route) => route.path === path).map((route) => route.method);
      for (const wrong of methods.filter((other) => !taken.includes(other))) {
        for (const headers of callers) expectProblem(await http.send(wrong, path, { headers }), 404, 'not_found');
        const answer = await http.send(wrong, path, { headers: admin });
        expectProblem(answer, 405, 'method_not_allowed');
        expect(answer.headers.allow).to.contain(method);
      }
    }
  });

  it('The scheme of the Authorization header is accepted in any case', async () => {
    const token = await tokenFor('*', 'viewer');
    for (const scheme of ['Bot', 'bot', 'BOT', 'bOt', 'Bot ']) {
      expect((await me(`${scheme} ${token}`)).status, scheme).to.equal(200);
    }
  });

  // AUTH-17
  it('A refusal distinguishes an invalid token from a malformed header', async () => {
    const token = await tokenFor('*', 'viewer');
    for (const header of ['Bot', 'Bearer x.y.z', token, `Bot ${token} ${token}`, `Bot:${token}`, 'Basic eDp5']) {
      const { detail } = expectProblem(await me(header), 401, 'unauthenticated');
      expect(detail, header).to.equal('The Authorization header must be "Bot <token>".');
    }
    for (const bad of ['x', 'a.b.c', `${token}x`, token.slice(0, -3), 'rlk_', '%00']) {
      const { detail } = expectProblem(await me(`Bot ${bad}`), 401, 'unauthenticated');
      expect(detail, bad).to.equal(
        "This token isn't valid: it was revoked, has expired, or belongs to another Rolelink.",
      );
    }
  });

  it('A revoked token is refused as one that is not valid', async () => {
    const guild = await buildGuild();
    const owner = await asPerson({ chatUserId: guild.ownerId, username: 'owner' });
    const { body } = await owner.post(`${guild.path}/tokens`, { name: 'short', role: 'viewer' });
    expect((await guild.api.delete(`${guild.path}/tokens/${body.tokenId}`)).status).to.equal(204);
    const { detail } = expectProblem(await me(`Bot ${body.token}`), 401, 'unauthenticated');
    expect(detail).to.equal("This token isn't valid: it was revoked, has expired, or belongs to another Rolelink.");
  });
});
