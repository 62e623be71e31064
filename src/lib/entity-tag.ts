import { z } from 'zod';
import { clock } from './clock.js';

// Entity tags (RFC 9110 §8.8.3) and the request headers that compare them (§13.1).

const tag = String.raw`(?:W/)?"[\x21\x23-\x7e\x80-\xff]*"`;
/** `*`, or a list of entity tags; HTTP's list syntax allows empty elements (§5.6.1). */
const tagList = new RegExp(String.raw`^(?:\*|[\s,]*${tag}(?:\s*,[\s,]*${tag})*[\s,]*)$`);
const condition = z.string().regex(tagList, 'must be * or entity tags in double quotes, as ETag gives them').optional();

/** The request header that allows a change only to the version that the caller has seen (§13.1.1). */
export const ifMatch = z.object({
  'if-match': condition.describe('Replaces only a version with this ETag; else 412 `version_mismatch`.'),
});

/** The request header for a version that the caller doesn't have yet (§13.1.2). */
export const ifNoneMatch = z.object({
  'if-none-match': condition.describe('Answers 304 without a body when it still has this ETag.'),
});

export const entityTagHeader = { ETag: 'The version of the document, for If-Match and If-None-Match.' };

export const entityTag = (version: number): string => `"${version}"`;

/** A thing's strong entity tag, with its change time as version, in milliseconds since 1970. */
export const entityTagOf = ({ updatedAt }: { updatedAt: Date }): string => entityTag(updatedAt.getTime());

/** The next change time for this kind: always later than the last one. */
export const nextUpdate = ({ updatedAt }: { updatedAt: Date }): Date =>
  new Date(Math.max(clock.epochMs(), updatedAt.getTime() + 1));

export const anyVersion = (_current: string): boolean => true;

/** A check by a request's If-Match whether the version with the strong entity tag `current` may be replaced. */
export const onlyIf =
  (headers: { 'if-match'?: string | undefined }) =>
  (current: string): boolean =>
    mayReplace(headers['if-match'], current);

/**
 * Whether If-Match allows replacing the version with the strong entity tag `current`. A weak tag never matches
 * (§13.1.1).
 */
export function mayReplace(ifMatch: string | undefined, current: string): boolean {
  return ifMatch === undefined || ifMatch === '*' || tagsOf(ifMatch).includes(current);
}

const tagsOf = (list: string): string[] => list.split(/[\s,]+/);

/** Whether If-None-Match contains the version `current`, so that the caller already has it. Weak tags count (§13.1.2). */
export const isKnownByCaller = (ifNoneMatch: string | undefined, current: string): boolean =>
  ifNoneMatch !== undefined && (ifNoneMatch === '*' || tagsOf(ifNoneMatch.replaceAll('W/', '')).includes(current));
