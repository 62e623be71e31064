import { Unreachable } from '../../api/answer-errors.js';
import type { Operation } from './described-operations.js';

/** The typed values of parameters by their name. */
export type Values = Readonly<Record<string, string>>;

export interface CallAnswer {
  status: string;
  headers: readonly (readonly [string, string])[];
  text: string;
}

const shownHeaders = ['x-request-id', 'etag', 'location', 'retry-after', 'content-type'];
/** A larger answer is cut: the browser would draw it for seconds. */
const longestShown = 100_000;

/** A call's address, its parameters filled in. */
export function addressOf({ path, parameters }: Operation, values: Values): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    values[name] ? encodeURIComponent(values[name]) : `{${name}}`,
  );
  const query = new URLSearchParams();
  for (const { name, in: place } of parameters) if (place === 'query' && values[name]) query.append(name, values[name]);
  return query.size === 0 ? filled : `${filled}?${query.toString()}`;
}

const indented = (text: string): string => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
};

/**
 * Calls an operation with `token`, or with this browser's session if it is empty. Throws Unreachable if no answer
 * comes.
 */
export async function sendCall(call: {
  operation: Operation;
  values: Values;
  body: string;
  token: string;
}): Promise<CallAnswer> {
  const { operation, values, body, token } = call;
  const headers: Record<string, string> = token === '' ? {} : { authorization: `Bot ${token}` };
  for (const { name, in: place } of operation.parameters)
    if (place === 'header' && values[name]) headers[name] = values[name];
  if (operation.body !== undefined) headers['content-type'] = operation.body.type;
  const answer = await fetch(addressOf(operation, values), {
    method: operation.method,
    headers,
    ...(operation.body !== undefined && { body }),
    credentials: token === '' ? 'same-origin' : 'omit',
    cache: 'no-store',
  }).catch((cause: unknown) => {
    throw new Unreachable(cause);
  });
  return {
    status: `${answer.status} ${answer.statusText}`.trim(),
    headers: shownHeaders.flatMap((name) => {
      const value = answer.headers.get(name);
      return value === null ? [] : [[name, value] as const];
    }),
    text: indented(await answer.text()).slice(0, longestShown),
  };
}
