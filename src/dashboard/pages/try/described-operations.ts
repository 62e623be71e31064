import { queryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../../api/client.js';

interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
}

/** An OpenAPI operation that a person's session can call. */
export interface Operation {
  id: string;
  method: string;
  path: string;
  summary: string;
  parameters: readonly Parameter[];
  /** The body's type, and the document's example. */
  body?: { type: string; example: string };
}

interface Described {
  operationId: string;
  summary?: string;
  security?: readonly unknown[];
  parameters?: readonly (Omit<Parameter, 'required'> & { required?: boolean })[];
  requestBody?: { content: Readonly<Record<string, { example?: unknown }>> };
  responses: Readonly<Record<string, unknown>>;
}
type Paths = Readonly<Record<string, Readonly<Record<string, Described>>>>;

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** A redirect leads away from the page, and a platform's call needs that platform's signature. */
const isCallable = (method: string, { responses, security }: Described): boolean =>
  !('303' in responses) && (method === 'get' || security?.length !== 0);

function bodyOf({ requestBody }: Described): Pick<Operation, 'body'> {
  const [first] = Object.entries(requestBody?.content ?? {});
  if (first === undefined) return {};
  const [type, { example = {} }] = first;
  return { body: { type, example: typeof example === 'string' ? example : JSON.stringify(example, null, 2) } };
}

const operationOf = (method: string, path: string, described: Described): Operation => ({
  id: described.operationId,
  method: method.toUpperCase(),
  path,
  summary: (described.summary ?? '').replaceAll('`', ''),
  parameters: (described.parameters ?? []).map((each) => ({ required: false, ...each })),
  ...bodyOf(described),
});

const operationsIn = (paths: Paths): Operation[] =>
  Object.entries(paths)
    .filter(([path]) => path.startsWith('/api/'))
    .flatMap(([path, item]) =>
      methods.flatMap((method) => {
        const described = item[method];
        return described !== undefined && isCallable(method, described) ? [operationOf(method, path, described)] : [];
      }),
    );

/** The operations under `/api` that a session can call, in the document's order. */
export const operationsQuery = queryOptions({
  queryKey: ['operations'],
  async queryFn() {
    const document = (await answerOf(api.GET('/api/openapi.json', {}))) as { openapi: string; paths: Paths };
    return operationsIn(document.paths);
  },
  staleTime: Number.POSITIVE_INFINITY,
});
