import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import type { Route } from '../../../src/edges/http/route.js';
import { type Answer, allRoutes, type HttpSide } from './http-setup.js';
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
const rubbish = [
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

/** Texts that no parameter of a query takes. */
const oddValues = [...rubbish, '(', '%5C', '9'.repeat(30), '%7B%22%24gt%22:%22%22%7D'];

/** `most` of these texts, which are others for the next place. So few still come to many places each. */
const sampleOf = (texts: readonly string[], place: number, most: number): string[] =>
  Array.from({ length: most }, (_, index) => texts[(place * most + index) % texts.length] ?? '');

/** The names of a route's query parameters. */
const queryOf = ({ options: { input } }: Route): string[] => Object.keys(input?.query?.shape ?? {});

/** Sends each route `most` malformed ids as each parameter. */
export async function refuseMalformedIds(http: HttpSide, guild: FilledGuild, most = rubbish.length): Promise<void> {
  const places = allRoutes().flatMap((route) => parametersOf(route).map((name) => `${route.name} ${name}`));
  await everyRoute(
    (route) => parametersOf(route).length > 0,
    async (route) => {
      const headers = await admitted(route, guild);
      const valid = validBody(route, guild);
      const media = 'body' in valid ? mediaTypeOf(route) : {};
      for (const name of parametersOf(route)) {
        for (const wrong of sampleOf(rubbish, places.indexOf(`${route.name} ${name}`), most)) {
          const path = pathTo(route, guild, { [name]: wrong });
          const answer = await http.send(route.method, path, { ...valid, headers: { ...media, ...headers } });
          // A person's id comes from outside, so the answer describes its form.
          expectRefusal(route, answer, name === 'memberId' ? 400 : 404);
        }
      }
    },
  );
}

/** Reads each route with `most` odd values of each query parameter, and expects no fault of the service. */
export async function tryOddValues(http: HttpSide, guild: FilledGuild, most = oddValues.length): Promise<void> {
  const places = allRoutes().flatMap((route) => queryOf(route).map((name) => `${route.name} ${name}`));
  await everyRoute(
    (route) => route.method === 'GET' && queryOf(route).length > 0,
    async (route) => {
      const headers = await admitted(route, guild);
      for (const name of queryOf(route)) {
        for (const value of sampleOf(oddValues, places.indexOf(`${route.name} ${name}`), most)) {
          const ask = () => http.send('GET', `${pathTo(route, guild)}?${name}=${value}`, { headers });
          const answer = await ask().then(whenDiscordAllows(ask));
          expect(answer.status, `${name}=${value.slice(0, 40)}`).to.be.below(500);
        }
      }
    },
  );
}

/** Asks once more after the stated seconds if Discord's limit for member searches is used up. */
const whenDiscordAllows = (ask: () => Promise<Answer>) => async (answer: Answer) => {
  const wait = Number(answer.headers['retry-after'] ?? 0);
  if (answer.status !== 503 || wait === 0) return answer;
  await delay(wait * 1_000);
  return ask();
};
