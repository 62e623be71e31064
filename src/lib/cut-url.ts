/** Parts of a path that say where, not who: words, versions, numbers, and the ids of ID-1. */
const harmless =
  /^(?:[a-z][a-z_-]{0,24}(?:\.[a-z]{1,5})?|v\d{1,2}|(?:@|%40)[a-z]{1,12}|\d{1,20}|[a-z]{3}_[0-9a-f]{24})$/i;

/**
 * A URL or a path as a log line may show it: without query, fragment and credentials, and with `:cut` for each part of
 * the path that could be a secret, such as the token in `/api/verification/session/<token>` (ENV-25).
 */
export function cutUrl(url: string): string {
  const [, origin = '', path = ''] = /^([a-z][a-z\d+.-]*:\/\/[^/?#]*)?([^?#]*)/i.exec(url) ?? [];
  const parts = path.split('/').map((part) => (part === '' || harmless.test(part) ? part : ':cut'));
  return origin.replace(/\/\/.*@/, '//') + parts.join('/');
}
