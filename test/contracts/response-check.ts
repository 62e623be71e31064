import type { Exchange } from '../sandbox/kit/exchange.js';
import { dereference, type Response } from './contract-documents.js';
import { undocumentedAnswerComplaint } from './error-answers.js';
import { isEmptyBody, mediaTypeOf } from './message-body.js';
import type { Operation } from './operation-finder.js';
import type { SchemaValidators } from './schema-validators.js';

/** An answer as the contract describes it, and where that is in the document. */
interface LocatedResponse {
  response: Response;
  pointer: readonly string[];
}

/** Checks an answer's status, headers and body against its operation. */
export class ResponseCheck {
  readonly #validators: SchemaValidators;

  constructor(validators: SchemaValidators) {
    this.#validators = validators;
  }

  complaints(operation: Operation, exchange: Exchange): string[] {
    const { status } = exchange;
    const located = locateResponse(operation, status);
    if (!located?.response.content) return this.#bodilessComplaints(operation, exchange);
    return [
      ...this.#headerComplaints(operation, located, exchange),
      ...this.#contentComplaints(operation, located, exchange),
    ].map((complaint) => `answer ${status} ${complaint}`);
  }

  #bodilessComplaints(operation: Operation, { status, responseBody }: Exchange): string[] {
    const complaint = undocumentedAnswerComplaint(operation, status, responseBody);
    if (complaint !== undefined) return [`answer ${status} ${complaint}`];
    return status === 204 && !isEmptyBody(responseBody) ? ['answer 204 has a body'] : [];
  }

  #contentComplaints(operation: Operation, { response, pointer }: LocatedResponse, exchange: Exchange): string[] {
    const mediaType = mediaTypeOf(exchange.responseHeaders);
    // Roblox describes an answer without a body by a content without types.
    if (Object.keys(response.content ?? {}).length === 0)
      return isEmptyBody(exchange.responseBody) ? [] : ['has a body'];
    if (!response.content?.[mediaType]) return [`has the content type ${mediaType || '(none)'}`];
    const schemaAt = [...pointer, 'content', mediaType, 'schema'];
    const complaint = this.#validators.complaint(operation.contract, schemaAt, exchange.responseBody);
    return complaint === undefined ? [] : [`body ${complaint}`];
  }

  #headerComplaints(operation: Operation, { response }: LocatedResponse, exchange: Exchange): string[] {
    return Object.entries(response.headers ?? {}).flatMap(([name, header]) => {
      const value = exchange.responseHeaders[name.toLowerCase()];
      if (value === undefined || header.$ref === undefined) return [];
      const pointer = [...header.$ref.slice(2).split('/'), 'schema'];
      const complaint = this.#validators.parameterComplaint(operation.contract, pointer, [String(value)]);
      return complaint === undefined ? [] : [`header ${name} ${complaint}`];
    });
  }
}

/** The answer for this very status, or for its class (`4XX`), or for every other status. */
function locateResponse({ contract, definition, pointer }: Operation, status: number): LocatedResponse | undefined {
  const key = [String(status), `${Math.floor(status / 100)}XX`, 'default'].find((name) => name in definition.responses);
  const entry = key === undefined ? undefined : definition.responses[key];
  if (key === undefined || !entry) return undefined;
  const response = dereference(contract.document, entry);
  return {
    response,
    pointer: entry.$ref === undefined ? [...pointer, 'responses', key] : entry.$ref.slice(2).split('/'),
  };
}
