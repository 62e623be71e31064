import type { Exchange } from '../sandbox/kit/exchange.js';
import { isEmptyBody, mediaTypeOf } from './message-body.js';
import type { FoundOperation, LocatedParameter, Operation } from './operation-finder.js';
import type { SchemaValidators } from './schema-validators.js';
import { unknownKeys } from './unknown-keys.js';

/** Keys that discord.js sends and Discord takes, though the contract does not know them everywhere. */
const toleratedKeys = /\/(enforce_nonce|tts|animated)$/;

/** Checks a request's path, query and body against its operation. */
export class RequestCheck {
  readonly #validators: SchemaValidators;

  constructor(validators: SchemaValidators) {
    this.#validators = validators;
  }

  complaints({ operation, pathParameters }: FoundOperation, exchange: Exchange): string[] {
    return [
      ...operation.parameters.flatMap((parameter) => {
        const values = valuesOf(parameter, pathParameters, exchange.query);
        return this.#parameterComplaints(operation, parameter, values);
      }),
      ...unknownQueryParameters(operation, exchange.query),
      ...this.#bodyComplaints(operation, exchange),
    ];
  }

  #parameterComplaints(operation: Operation, parameter: LocatedParameter, values: readonly string[]): string[] {
    const { in: place, name, required, pointer } = parameter;
    if (place !== 'path' && place !== 'query') return [];
    if (values.length === 0) return required ? [`${place} parameter ${name} is missing`] : [];
    const complaint = this.#validators.parameterComplaint(operation.contract, pointer, values);
    return complaint === undefined ? [] : [`${place} parameter ${name} ${complaint}`];
  }

  #bodyComplaints(operation: Operation, { requestBody: body, requestHeaders }: Exchange): string[] {
    const { requestBody: expected } = operation.definition;
    if (!expected) return isEmptyBody(body) ? [] : ['request has a body, which the contract does not know'];
    if (body === undefined) return expected.required ? ['request body is missing'] : [];
    const sent = mediaTypeOf(requestHeaders);
    const mediaType = sent === 'multipart/form-data' ? 'application/json' : sent;
    const content = expected.content[mediaType];
    if (!content) return [`request body has the content type ${sent}, which the contract does not know`];
    const { contract } = operation;
    const pointer = [...operation.pointer, 'requestBody', 'content', mediaType, 'schema'];
    const complaint =
      contract.name === 'stripe' && mediaType === 'application/x-www-form-urlencoded'
        ? this.#validators.formComplaint(contract, pointer, body)
        : this.#validators.complaint(contract, pointer, body);
    const unknown = unknownKeys(contract.document, body, [content.schema]).filter((key) => !toleratedKeys.test(key));
    return [
      ...(complaint === undefined ? [] : [`request body ${complaint}`]),
      ...unknown.map((key) => `request body ${key} is a key that the contract does not know`),
    ];
  }
}

function valuesOf(
  { in: place, name }: LocatedParameter,
  pathParameters: ReadonlyMap<string, string>,
  query: URLSearchParams,
): string[] {
  if (place === 'query') return query.getAll(name);
  const value = pathParameters.get(name);
  return value === undefined ? [] : [value];
}

function unknownQueryParameters({ parameters }: Operation, query: URLSearchParams): string[] {
  const known = new Set(parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name));
  return [...new Set(query.keys())]
    .filter((name) => !known.has(name))
    .map((name) => `query parameter ${name} is not known to the contract`);
}
