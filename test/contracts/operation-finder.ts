import type { Contract, OperationObject, Parameter } from './contract-documents.js';

/** A parameter and where its schema is in the document. */
export interface LocatedParameter extends Parameter {
  pointer: readonly string[];
}

export interface Operation {
  contract: Contract;
  /** For messages: `POST discord.com/api/v10/channels/{channel_id}/messages`. */
  label: string;
  /** Where the operation is in the document. */
  pointer: readonly string[];
  definition: OperationObject;
  parameters: readonly LocatedParameter[];
  segments: readonly PathSegment[];
}

/** A path's piece between slashes: `name` holds the parameter's name when it is one. */
interface PathSegment {
  pattern: RegExp;
  name: string | undefined;
  fixed: boolean;
}

export interface FoundOperation {
  operation: Operation;
  pathParameters: ReadonlyMap<string, string>;
}

const methods = ['get', 'post', 'put', 'patch', 'delete'];

/** Finds the operation that a request calls, by real host, method and path. */
export class OperationFinder {
  readonly #operations = new Map<string, Operation[]>();

  constructor(contracts: readonly Contract[]) {
    for (const operation of contracts.flatMap(operationsOf)) {
      const { host, key } = operation;
      const bucket = `${host} ${key}`;
      this.#operations.set(bucket, [...(this.#operations.get(bucket) ?? []), operation]);
    }
    for (const candidates of this.#operations.values()) candidates.sort(fixedSegmentsFirst);
  }

  find(host: string, method: string, path: string): FoundOperation | undefined {
    const pieces = path.slice(1).split('/').map(decode);
    for (const operation of this.#operations.get(`${host} ${method} ${pieces.length}`) ?? []) {
      const pathParameters = match(operation.segments, pieces);
      if (pathParameters) return { operation, pathParameters };
    }
    return undefined;
  }
}

function operationsOf(contract: Contract) {
  const { document } = contract;
  return Object.entries(document.paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const definition = item[method];
      if (!definition) return [];
      const base = new URL((definition.servers ?? document.servers)?.[0]?.url ?? '');
      const full = `${base.pathname.replace(/\/$/, '')}${path}`;
      const pointer = ['paths', path, method];
      const segments = full.slice(1).split('/').map(readSegment);
      const parameters = [
        ...locate(item.parameters, ['paths', path, 'parameters']),
        ...locate(definition.parameters, [...pointer, 'parameters']),
      ];
      const label = `${method.toUpperCase()} ${base.host}${full}`;
      const key = `${method.toUpperCase()} ${segments.length}`;
      return [{ contract, label, pointer, definition, parameters, segments, host: base.host, key }];
    }),
  );
}

function locate(parameters: readonly Parameter[] = [], pointer: readonly string[]): LocatedParameter[] {
  return parameters.map((parameter, at) => ({ ...parameter, pointer: [...pointer, String(at), 'schema'] }));
}

/** `@me`, `{user_id}`, and `{user_id}:generateThumbnail`, which counts as fixed and so is tried before `{user_id}`. */
function readSegment(text: string): PathSegment {
  const [, name, rest = ''] = /^\{(\w+)\}(.*)$/.exec(text) ?? [];
  const escaped = (part: string) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const pattern = new RegExp(name === undefined ? `^${escaped(text)}$` : `^(.+)${escaped(rest)}$`, 's');
  return { pattern, name, fixed: name === undefined || rest !== '' };
}

function match(segments: readonly PathSegment[], pieces: readonly string[]): Map<string, string> | undefined {
  const parameters = new Map<string, string>();
  for (const [at, segment] of segments.entries()) {
    const found = segment.pattern.exec(pieces[at] ?? '');
    if (!found) return undefined;
    if (segment.name !== undefined) parameters.set(segment.name, found[1] ?? '');
  }
  return parameters;
}

/** Tries `@me` before `{user_id}`: the operation with a fixed first differing segment comes first. */
function fixedSegmentsFirst(a: Operation, b: Operation): number {
  const at = a.segments.findIndex((segment, index) => segment.fixed !== b.segments[index]?.fixed);
  if (at < 0) return 0;
  return a.segments[at]?.fixed ? -1 : 1;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
