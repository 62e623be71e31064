/** A call to Discord's REST interface, with the data that decides its rate limits and permissions. */
export interface RestCall {
  write: boolean;
  /** Method and path without ids: `PATCH /guilds/:id/members/:id`. */
  endpoint: string;
  /** The resource at the start of the path, by which Discord separates buckets: `guilds/1`; `''` for none. */
  resource: string;
  guildId: string | undefined;
  /** A call made immediately before it, in the same turn. */
  first?: RestCall;
  /** It tests whether its guild still forbids everything. */
  isTrial?: true;
}

/** Parses `method`, in capitals, and `path`, without the base and the query. */
export function restCall(method: string, path: string): RestCall {
  const [, kind, id] = /^\/(guilds|channels|webhooks)\/(\d+)/.exec(path) ?? [];
  return {
    write: method !== 'GET',
    endpoint: `${method} ${path.replaceAll(/\d{17,20}/g, ':id')}`,
    resource: kind === undefined ? '' : `${kind}/${id}`,
    guildId: kind === 'guilds' ? id : undefined,
  };
}
