import type { oas31 } from 'zod-openapi';

/** `guildId` as a shell variable's name: `GUILD_ID`. */
const variable = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();

/** A text as one POSIX shell word. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Routes that a person's session alone opens: a bot token has no account. */
const isOfPerson = (path: string): boolean => path.startsWith('/api/auth/') || path.startsWith('/api/admin/');

function credentials(path: string, { security }: oas31.OperationObject): string[] {
  if (security?.length === 0) return [];
  if (isOfPerson(path)) return ['--cookie "$ROLELINK_COOKIE"', '-H "Origin: $ROLELINK_URL"'];
  return ['-H "Authorization: Bot $ROLELINK_TOKEN"'];
}

/** The query that an operation requires, with the document's examples. */
function queryOf({ parameters = [] }: oas31.OperationObject): string {
  const needed = parameters.flatMap((each) =>
    'name' in each && each.in === 'query' && each.required
      ? [`${each.name}=${encodeURIComponent(String(each.example ?? ''))}`]
      : [],
  );
  return needed.length === 0 ? '' : `?${needed.join('&')}`;
}

function bodyOf({ requestBody }: oas31.OperationObject): string[] {
  if (requestBody === undefined || !('content' in requestBody)) return [];
  const [type, media] = Object.entries(requestBody.content)[0] ?? [];
  if (type === undefined || media?.example === undefined) return [];
  const text = typeof media.example === 'string' ? media.example : JSON.stringify(media.example);
  return [`-H 'Content-Type: ${type}'`, `--data ${quoted(text)}`];
}

/**
 * The line for curl that calls an operation, with the document's example as its body. Address, credentials and ids are
 * shell variables.
 */
export function curlOf(method: string, path: string, operation: oas31.OperationObject): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `$${variable(name)}`);
  const verb = method === 'GET' ? '' : ` -X ${method}`;
  const start = `curl -i${verb} "$ROLELINK_URL${filled}${queryOf(operation)}"`;
  return [start, ...credentials(path, operation), ...bodyOf(operation)].join(' \\\n  ');
}
