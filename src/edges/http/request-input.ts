import { z } from 'zod';
import { InvalidRequest, type Issue, NotFound } from '../../lib/errors.js';
import { noSnowflake } from '../../lib/ids.js';
import { t } from '../../lib/translate.js';
import { headersOf, type Request, type Route } from './route.js';

/** The parts of a request that schemas apply to, as they came in. */
interface RawInput {
  params: Readonly<Record<string, string>>;
  query: Readonly<Record<string, string | string[] | undefined>>;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: unknown;
}

/** What a route takes that names no query or body: unknown input is refused everywhere (API-2). */
const nothing = z.strictObject({});

/**
 * Validates a request's parts against a route's schemas. A path that cannot exist is a NotFound (ID-1: a wrong
 * prefix is a 404), but for a person's id, which scripts take from elsewhere; for the rest InvalidRequest lists every issue of query, headers and body at once.
 */
export function parseInput(
  { params, options }: Route,
  raw: RawInput,
): Pick<Request, 'params' | 'query' | 'headers' | 'body'> {
  const { input = {} } = options;
  const path = params.safeParse(raw.params);
  if (!path.success) throw refusedPath(path.error);
  const query = (input.query ?? nothing).safeParse(raw.query);
  const headers = headersOf(options)?.strip().safeParse(raw.headers);
  const body = (input.body ?? nothing).safeParse(raw.body ?? {});
  const ofHeaders = headers === undefined ? [] : issuesOf(headers, ['headers']);
  const issues = [...issuesOf(query, ['query']), ...nulsIn(raw.query), ...ofHeaders, ...issuesOf(body, [])];
  if (issues.length > 0) throw new InvalidRequest(issues);
  return { params: raw.params, query: query.data, headers: headers?.data, body: body.data };
}

function refusedPath(error: z.ZodError): NotFound | InvalidRequest {
  if (error.issues.some(({ path }) => path[0] !== 'memberId')) return nothingThere();
  return new InvalidRequest([{ path: 'path.memberId', message: noSnowflake() }]);
}

/** Where there is no such page or endpoint. */
export const nothingThere = (): NotFound => new NotFound('not_found', t('page.nothing_here'));

function issuesOf(result: z.ZodSafeParseResult<unknown>, root: readonly string[]): Issue[] {
  return result.success ? [] : result.error.issues.flatMap((issue) => flatten(issue, root));
}

/** MongoDB takes U+0000 in no pattern, and no text that is searched for holds it. */
function nulsIn(query: RawInput['query']): Issue[] {
  const withNul = Object.entries(query).filter(([, value]) => String(value).includes('\0'));
  return withNul.map(([name]) => ({ path: `query.${name}`, message: 'must not hold the character U+0000' }));
}

/** One line for each unknown key, and for a union what its closest alternative says. */
function flatten(issue: z.core.$ZodIssue, root: readonly PropertyKey[]): Issue[] {
  const path = [...root, ...issue.path];
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: [...path, key].map(String).join('.'), message: t('input.unknown') }));
  }
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    const alternatives = issue.errors.map((inner) => inner.flatMap((one) => flatten(one, path)));
    return alternatives.reduce((closest, other) => (misfit(other) < misfit(closest) ? other : closest));
  }
  return [{ path: path.map(String).join('.'), message: issue.message }];
}

/** How far an alternative is from what was meant: an unknown key tells more than a value that is wrong or missing. */
function misfit(issues: readonly Issue[]): number {
  return issues.length + issues.filter(({ message }) => message === t('input.unknown')).length;
}
