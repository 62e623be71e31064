import { expect } from 'chai';
import { teamRoles } from '../../../src/core/actors/team-roles.js';
import { GuildRecord } from '../../../src/core/guilds/guild-model.js';
import type { Route } from '../../../src/edges/http/route.js';
import { buildPerson } from '../../support/build.js';
import { allRoutes, expectProblem, type HttpSide, sessionHeaders, startHttp } from './http-setup.js';
import { refuseMalformedIds } from './malformed-values.js';
import {
  admitted,
  asking,
  everyRoute,
  expectRefusal,
  expectUnchanged,
  type FilledGuild,
  fillGuild,
  isOpen,
  isPage,
  mediaTypeOf,
  parametersOf,
  pathTo,
  settled,
  validBody,
} from './walk-setup.js';

const inGuild = ({ options: { access } }: Route): boolean => access.kind === 'guild_role';
const forPeople = ({ options: { access } }: Route): boolean => access.kind === 'person';
const forGames = ({ options: { access } }: Route): boolean => access.kind === 'game';
const forVerifiers = ({ options: { access } }: Route): boolean => access.kind === 'game';
const openToGames = ({ options: { access } }: Route): boolean =>
  access.kind === 'game' || (access.kind === 'guild_role' && access.byGame);
const forPlatformAdmins = ({ options: { access } }: Route): boolean => access.kind === 'platform_admin';

// AUTH-1, AUTH-34
describe('Every route', () => {
  // Filling a guild and walking all routes takes long on a slow machine.
  let http: HttpSide;
  let mine: FilledGuild;
  let other: FilledGuild;
  let untouched: string;

  /** Sends a right request, but as another caller or to another path. */
  const call = (route: Route, headers: Record<string, string>, path = pathTo(route, mine)) => {
    const valid = validBody(route, mine);
    return http.send(route.method, path, {
      ...valid,
      headers: { ...('body' in valid && mediaTypeOf(route)), ...headers },
    });
  };

  before(async () => {
    [http, mine, other] = [await startHttp(), await fillGuild(), await fillGuild()];
    untouched = await settled([mine, other]);
  });
  afterEach('nothing was changed', async () => {
    await expectUnchanged([mine, other], untouched);
  });
  after(() => http.close());

  it('Every route refuses callers without credentials, or with false ones', async () => {
    const { authorization = '' } = await mine.token('owner');
    const strangers = [
      {},
      { authorization: 'Bot a.b.c' },
      { authorization: authorization.replace('Bot', 'Bearer') },
      { authorization: `${authorization}x` },
      { cookie: 'rolelink_session=unknown' },
    ];
    await everyRoute(
      (route) => !isOpen(route),
      async (route) => {
        for (const stranger of strangers) {
          const answer = await call(route, stranger);
          if (isPage(route) && route.method === 'GET') {
            expect(answer.status).to.equal(302);
            expect(answer.headers.location).to.equal(
              `/api/auth/login?returnTo=${encodeURIComponent(pathTo(route, mine))}`,
            );
          } else {
            expectRefusal(route, answer, 401, 'unauthenticated');
            expect(answer.headers['www-authenticate']).to.equal('Bot');
          }
        }
      },
    );
  });

  // API-45
  it('An open route serves every caller, regardless of credentials', async () => {
    await everyRoute(isOpen, async (route) => {
      const [plain, decorated] = [await call(route, {}), await call(route, { authorization: 'Bearer of-a-proxy' })];
      expect(plain.status).not.to.equal(401);
      expect(decorated.status).to.equal(plain.status);
    });
  });

  it('Every route of a guild refuses tokens of every team role below its own', async () => {
    await everyRoute(inGuild, async (route) => {
      const { access } = route.options;
      const least = access.kind === 'guild_role' ? teamRoles.indexOf(access.least) : 0;
      for (const role of teamRoles.slice(0, least)) {
        expectProblem(await call(route, await mine.token(role)), 403, 'forbidden');
      }
      const { authorization = '' } = await mine.token(teamRoles[least] ?? 'owner');
      const admittedThen = await http.send(route.method, asking('surprise=1', route, mine), {
        headers: { authorization },
      });
      expectProblem(admittedThen, 400, 'invalid_request');
    });
  });

  it('Every route of a guild hides the guild from callers without access', async () => {
    const member = mine.member;
    const stranger = await sessionHeaders((await buildPerson()).chatUserId);
    await everyRoute(inGuild, async (route) => {
      for (const caller of [member, stranger, await other.token('owner')]) {
        expectProblem(await call(route, caller), 404, 'guild_not_found');
      }
    });
  });

  it('No route finds another guild’s things in this one', async () => {
    await everyRoute(
      (route) => parametersOf(route).some((name) => name !== 'guildId'),
      async (route) => {
        const [last = ''] = parametersOf(route).slice(-1);
        const foreign = pathTo(route, mine, { [last]: other.ids[last] ?? '' });
        const answer = await call(route, await admitted(route, mine), foreign);
        expectRefusal(route, answer, 404);
        if (!isPage(route)) expect(answer.json.code).not.to.equal('guild_not_found');
      },
    );
  });

  it('No route finds a malformed id', async () => {
    await refuseMalformedIds(http, mine, 2);
  });

  it('Every route refuses a suspended guild, except where reading it stays possible', async () => {
    const { guildId } = mine;
    const suspension = { reason: 'Spam', at: new Date(), by: 'test' };
    await GuildRecord.updateOne({ _id: guildId }, { $set: { state: 'suspended', suspension } });
    try {
      await everyRoute(inGuild, async (route) => {
        const { access } = route.options;
        const answer = await call(route, await mine.token('owner'));
        if (access.kind === 'guild_role' && access.whileSuspended) expect(answer.status).to.be.below(300);
        else expect(expectProblem(answer, 403, 'guild_suspended').detail).to.contain('Spam');
      });
    } finally {
      await GuildRecord.updateOne({ _id: guildId }, { $set: { state: 'active' }, $unset: { suspension: 1 } });
    }
  });

  it('A route for people refuses bot tokens', async () => {
    await everyRoute(forPeople, async (route) => {
      expectRefusal(route, await call(route, await mine.token('owner')), 403, 'forbidden');
    });
  });

  // AUTH-23
  it('A verifier’s token opens only the route for codes from a game', async () => {
    const { authorization = '' } = await mine.token('verifier');
    await everyRoute(
      (route) => !isOpen(route) && !forPlatformAdmins(route) && !forVerifiers(route),
      async (route) => expectRefusal(route, await call(route, { authorization }), 403, 'forbidden'),
    );
    await everyRoute(forVerifiers, async (route) => {
      expectProblem(await call(route, { authorization }), 404, 'game_code_not_valid');
    });
  });

  // AUTH-65
  it('A game’s token opens only the routes for games', async () => {
    const { authorization = '' } = await mine.token('game');
    await everyRoute(
      (route) => !isOpen(route) && !forPlatformAdmins(route) && !openToGames(route),
      async (route) => expectRefusal(route, await call(route, { authorization }), 403, 'forbidden'),
    );
    const opened = allRoutes().filter(openToGames);
    expect(opened.map(({ name }) => name)).to.have.members([
      'PUT /api/guilds/:guildId/facts',
      'POST /api/guilds/:guildId/members/lookup',
      'POST /api/guilds/:guildId/verification/game-codes/redeem',
    ]);
    await everyRoute(openToGames, async (route) => {
      expect((await call(route, { authorization })).status).not.to.be.oneOf([401, 403]);
      expectProblem(await call(route, await other.token('game')), 404, 'guild_not_found');
    });
  });

  // AUTH-23, AUTH-65
  it('A route for games only refuses people and every other token', async () => {
    await everyRoute(forGames, async (route) => {
      for (const role of teamRoles) expectProblem(await call(route, await mine.token(role)), 403, 'forbidden');
      expectProblem(await call(route, mine.owner), 403, 'forbidden');
      for (const caller of [mine.member, await other.token('verifier'), await other.token('owner')]) {
        expectProblem(await call(route, caller), 404, 'guild_not_found');
      }
    });
  });

  // AUTH-35
  it('The routes for platform admins do not exist for others', async () => {
    for (const route of allRoutes().filter(forPlatformAdmins)) {
      for (const caller of [mine.member, await mine.token('owner'), await mine.token('game')]) {
        expectProblem(await call(route, caller), 404, 'not_found');
      }
    }
  });

  // AUTH-13
  it('Every route that changes something refuses a cookie that comes from elsewhere', async () => {
    await everyRoute(
      (route) => !isOpen(route) && route.method !== 'GET',
      async (route) => {
        for (const origin of ['https://evil.example', 'null', '']) {
          const answer = await call(route, { ...mine.member, origin });
          expectRefusal(route, answer, 403, 'origin_mismatch');
        }
      },
    );
  });
});
