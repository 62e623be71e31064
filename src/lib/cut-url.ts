/** Path parts that identify a place, not a person: words, versions, numbers, and ids (ID-1). */
const harmless =
  /^(?:[a-z][a-z_-]{0,24}(?:\.[a-z]{1,5})?|v\d{1,2}|(?:@|%40)[a-z]{1,12}|\d{1,20}|[a-z]{3}_[0-9a-f]{24})$/i;

/**
 * A URL or path for a log line, without query, fragment and credentials. Each path part that could be a secret becomes
 * `:cut`, such as the token in `/api/verification/session/<token>` (ENV-25).
 */
export function cutUrl(url: string): string {
  const [, origin = '', path = ''] = /^([a-z][a-z\d+.-]*:\/\/[^/?#]*)?([^?#]*)/i.exec(url) ?? [];
  const parts = path.split('/').map((part) => (part === '' || harmless.test(part) ? part : ':cut'));
  return origin.replace(/\/\/.*@/, '//') + parts.join('/');
}
