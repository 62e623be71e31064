import { allRoutes, type HttpSide } from './http-setup.js';
import {
  admitted,
  everyRoute,
  expectRefusal,
  type FilledGuild,
  mediaTypeOf,
  parametersOf,
  pathTo,
  validBody,
} from './walk-setup.js';

/** Malformed ids as path parts. */
export const rubbish = [
  'whk_0123456789abcdef01234567',
  '0',
  '-1',
  '%00',
  '%ff',
  '..%2f..%2fadmin',
  '%24ne',
  '%F0%9F%A6%8A',
  '%20',
  'x'.repeat(5_000),
];

/**
 * Sends each route a malformed id as each parameter: `most` of them, which are others for the next parameter. So few
 * still try each one at many routes.
 */
export async function refuseMalformedIds(http: HttpSide, guild: FilledGuild, most = rubbish.length): Promise<void> {
  const named = allRoutes().flatMap((route) => parametersOf(route).map((name) => `${route.name} ${name}`));
  await everyRoute(
    (route) => parametersOf(route).length > 0,
    async (route) => {
      const headers = await admitted(route, guild);
      const valid = validBody(route, guild);
      const media = 'body' in valid ? mediaTypeOf(route) : {};
      for (const name of parametersOf(route)) {
        const first = most * named.indexOf(`${route.name} ${name}`);
        for (let tried = 0; tried < most; tried += 1) {
          const wrong = rubbish[(first + tried) % rubbish.length] ?? '';
          const path = pathTo(route, guild, { [name]: wrong });
          const answer = await http.send(route.method, path, { ...valid, headers: { ...media, ...headers } });
          // A person's id comes from outside, so the answer describes its form.
          expectRefusal(route, answer, name === 'memberId' ? 400 : 404);
        }
      }
    },
  );
}
