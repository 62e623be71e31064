import type { Operation } from './operation-finder.js';

/**
 * The fault in an answer with a status that the contract gives no body for; undefined if there is none. Roblox
 * documents its error bodies outside the contract: `{code, message}` in Open Cloud, `{errors: [{code, message}]}` on
 * the older hosts and at the gateway. Discord's 5xx, and OAuth's 429 and 5xx, are documented nowhere.
 */
export function undocumentedAnswerComplaint(
  { contract, definition, label }: Operation,
  status: number,
  body: unknown,
): string | undefined {
  if (contract.name === 'roblox' && status >= 400) {
    const isError = isErrorList(body) || (label.includes('/cloud/v2/') && isCloudError(body));
    return isError ? undefined : `is no Roblox error: ${JSON.stringify(body)}`;
  }
  const documented = String(status) in definition.responses;
  const undocumentedFailure = status >= 500 || (contract.name === 'oauth' && status === 429);
  return documented || undocumentedFailure ? undefined : 'is not in the contract';
}

const cloudCodes = [
  'INVALID_ARGUMENT',
  'PERMISSION_DENIED',
  'NOT_FOUND',
  'ABORTED',
  'RESOURCE_EXHAUSTED',
  'CANCELLED',
  'INTERNAL',
  'NOT_IMPLEMENTED',
  'UNAVAILABLE',
];

function isCloudError(body: unknown): boolean {
  const { code, message } = fieldsOf(body);
  return typeof code === 'string' && cloudCodes.includes(code) && typeof message === 'string';
}

function isErrorList(body: unknown): boolean {
  const { errors } = fieldsOf(body);
  return Array.isArray(errors) && errors.length > 0 && errors.every(isListedError);
}

function isListedError(entry: unknown): boolean {
  const { code, message } = fieldsOf(entry);
  return Number.isInteger(code) && typeof message === 'string';
}

function fieldsOf(value: unknown): { code?: unknown; message?: unknown; errors?: unknown } {
  return typeof value === 'object' && value !== null ? value : {};
}
