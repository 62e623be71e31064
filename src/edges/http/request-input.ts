import { z } from 'zod';
import { InvalidRequest, type Issue, NotFound } from '../../lib/errors.js';
import { noSnowflake } from '../../lib/ids.js';
import { t } from '../../lib/translate.js';
import { headersOf, type Request, type Route } from './route.js';

interface RawInput {
  params: Readonly<Record<string, string>>;
  query: Readonly<Record<string, string | string[] | undefined>>;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: unknown;
}

/** The schema for a missing query or body: unknown input is refused everywhere (API-2). */
const nothing = z.strictObject({});

/**
 * Validates a request's parts against a route's schemas. An impossible path is a NotFound (ID-1: a wrong prefix is a
 * 404), except for a person's id, which scripts copy from elsewhere. Otherwise, InvalidRequest lists every issue in
 * query, headers and body.
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

export const nothingThere = (): NotFound => new NotFound('not_found', t('page.nothing_here'));

/** A part's problems when it does not fit its schema, each with its place below `root`; none if it fits. */
function issuesOf(result: z.ZodSafeParseResult<unknown>, root: readonly string[]): Issue[] {
  return result.success ? [] : result.error.issues.flatMap((issue) => flatten(issue, root));
}

/** MongoDB accepts U+0000 in no pattern, and no searched text contains it. */
function nulsIn(query: RawInput['query']): Issue[] {
  const withNul = Object.entries(query).filter(([, value]) => String(value).includes('\0'));
  return withNul.map(([name]) => ({ path: `query.${name}`, message: 'must not hold the character U+0000' }));
}

/** One issue per unknown key; for a union, its closest alternative's issues. */
function flatten(issue: z.core.$ZodIssue, root: readonly PropertyKey[]): Issue[] {
  const path = [...root, ...issue.path];
  if (issue.code === 'unrecognized_keys') {
    const [message, place] = [t('input.unknown'), path.map((part) => `${String(part)}.`).join('')];
    return issue.keys.map((key) => ({ path: `${place}${key}`, message }));
  }
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    const alternatives = issue.errors.map((inner) => inner.flatMap((one) => flatten(one, path)));
    return alternatives.reduce((closest, other) => (misfit(other) < misfit(closest) ? other : closest));
  }
  return [{ path: path.map(String).join('.'), message: issue.message }];
}

/** An alternative's distance from the intended one: an unknown key weighs more than a wrong or missing value. */
function misfit(issues: readonly Issue[]): number {
  const unknown = t('input.unknown');
  return issues.length + issues.filter(({ message }) => message === unknown).length;
}
