import type { z } from 'zod';
import { WireError } from '../kit/wire-error.js';

/** Refusals that Discord documents: HTTP status, JSON error code, message. */
const refusals = {
  unauthorized: [401, 0, '401: Unauthorized'],
  notFound: [404, 0, '404: Not Found'],
  unknownChannel: [404, 10003, 'Unknown Channel'],
  unknownGuild: [404, 10004, 'Unknown Guild'],
  unknownMember: [404, 10007, 'Unknown Member'],
  unknownMessage: [404, 10008, 'Unknown Message'],
  unknownRole: [404, 10011, 'Unknown Role'],
  unknownUser: [404, 10013, 'Unknown User'],
  unknownWebhook: [404, 10015, 'Unknown Webhook'],
  unknownInteraction: [404, 10062, 'Unknown interaction'],
  unknownCommand: [404, 10063, 'Unknown application command'],
  tooManyRoles: [400, 30005, 'Maximum number of guild roles reached (250)'],
  alreadyAcknowledged: [400, 40060, 'Interaction has already been acknowledged.'],
  missingAccess: [403, 50001, 'Missing Access'],
  notAuthor: [403, 50005, 'Cannot edit a message authored by another user'],
  emptyMessage: [400, 50006, 'Cannot send an empty message'],
  cannotMessageUser: [403, 50007, 'Cannot send messages to this user'],
  noMutualGuild: [403, 50278, 'Cannot send messages to this user due to having no mutual guilds'],
  missingPermissions: [403, 50013, 'Missing Permissions'],
  missingScope: [403, 50026, 'Missing required OAuth2 scope'],
  invalidWebhookToken: [401, 50027, 'Invalid Webhook Token'],
  invalidRole: [400, 50028, 'Invalid role'],
  invalidForm: [400, 50035, 'Invalid Form Body'],
  invalidJson: [400, 50109, 'The request body contains invalid JSON.'],
} as const satisfies Record<string, readonly [status: number, code: number, message: string]>;

/** Field errors as Discord nests them: by key, ending in `_errors`. */
export interface FormErrors {
  [key: string]: FormErrors | { code: string; message: string }[];
}

/** A refusal on its way to the HTTP answer `{code, message, errors?}`. */
export class DiscordError extends WireError {
  constructor(kind: keyof typeof refusals, errors?: FormErrors) {
    const [status, code, message] = refusals[kind];
    super(status, { message, code, ...(errors && { errors }) }, {}, message);
  }
}

/** Checks a request body or query; throws error 50035 with one entry per bad field. */
export function parseForm<T extends z.ZodType>(schema: T, input: unknown): z.infer<T> {
  const result = schema.safeParse(input, { reportInput: true });
  if (result.success) return result.data;
  throw new DiscordError('invalidForm', formErrors(result.error.issues));
}

/** Error 50035 for one field, found outside a schema. */
export function fieldError(path: readonly PropertyKey[], code: string, message: string): DiscordError {
  const errors: FormErrors = {};
  addError(errors, path, { code, message });
  return new DiscordError('invalidForm', errors);
}

function formErrors(issues: readonly z.core.$ZodIssue[]): FormErrors {
  const errors: FormErrors = {};
  for (const issue of issues) addError(errors, issue.path, wordIssue(issue));
  return errors;
}

function addError(errors: FormErrors, path: readonly PropertyKey[], error: { code: string; message: string }): void {
  let node = errors;
  for (const key of path) {
    const next = node[String(key)] ?? {};
    if (Array.isArray(next)) return;
    node[String(key)] = next;
    node = next;
  }
  const known = Array.isArray(node._errors) ? node._errors : [];
  node._errors = [...known, error];
}

/** Discord's codes for what zod finds; the text is Discord's where it is documented. */
function wordIssue(issue: z.core.$ZodIssue): { code: string; message: string } {
  if (issue.code === 'too_big') {
    const what = issue.origin === 'array' ? 'in length' : 'in value';
    return { code: 'BASE_TYPE_BAD_LENGTH', message: `Must be ${issue.maximum} or fewer ${what}.` };
  }
  if (issue.code === 'too_small') {
    return { code: 'BASE_TYPE_BAD_LENGTH', message: `Must be ${issue.minimum} or more in length.` };
  }
  if (issue.code === 'invalid_type' && issue.input === undefined) {
    return { code: 'BASE_TYPE_REQUIRED', message: 'This field is required' };
  }
  return { code: issue.code === 'custom' ? 'BASE_TYPE_BAD_LENGTH' : 'BASE_TYPE_INVALID', message: issue.message };
}
