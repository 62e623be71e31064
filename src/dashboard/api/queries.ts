import { queryOptions } from '@tanstack/react-query';
import type { Schemas } from '../../client/api-types.js';
import { Refusal } from './answer-errors.js';
import { rememberSignedIn } from './ask-ahead.js';
import { answerOf, api, taggedAnswerOf, wholeList } from './client.js';
import { renewalMs, renewed } from './renewal.js';

export type Guild = Schemas['Guild'];
export type Mapping = Schemas['Mapping'];
export type Condition = Schemas['Condition'];
export type Group = Schemas['Group'];
export type GuildRole = Schemas['GuildRole'];
export type Settings = Schemas['Settings'];
export type Member = Schemas['Member'];
export type Resync = Schemas['Resync'];
export type TeamRole = Guild['role'];

const page = { limit: 100 } as const;
const cursorOf = (cursor: string | undefined) => (cursor === undefined ? page : { ...page, cursor });

/** The signed-in person; null without a sign-in. */
export const meQuery = queryOptions({
  queryKey: ['me'],
  async queryFn() {
    try {
      const me = await answerOf(api.GET('/api/auth/me', {}));
      rememberSignedIn(me.kind === 'user');
      return me.kind === 'user' ? me : null;
    } catch (error) {
      if (!(error instanceof Refusal && error.status === 401)) throw error;
      rememberSignedIn(false);
      return null;
    }
  },
});

export const guildsQuery = queryOptions({
  queryKey: ['guilds'],
  queryFn: () => wholeList((cursor) => answerOf(api.GET('/api/guilds', { params: { query: cursorOf(cursor) } }))),
});

/** The key for one server's data; every change to it invalidates this key. */
export const guildKey = (guildId: string) => ['guild', guildId] as const;

const inGuild = (guildId: string) => ({ path: { guildId } });

export const guildQuery = (guildId: string) =>
  queryOptions({
    queryKey: [...guildKey(guildId), 'head'],
    queryFn: () => answerOf(api.GET('/api/guilds/{guildId}', { params: inGuild(guildId) })),
  });

export const overviewQuery = (guildId: string) =>
  queryOptions({
    queryKey: [...guildKey(guildId), 'overview'],
    queryFn: () => answerOf(api.GET('/api/guilds/{guildId}/overview', { params: inGuild(guildId) })),
    refetchInterval: renewed('figures'),
  });

/** The figures of the last days. */
export const historyQuery = (guildId: string, days: '7' | '30' | '90') =>
  queryOptions({
    queryKey: [...guildKey(guildId), 'history', days],
    queryFn: () =>
      answerOf(api.GET('/api/guilds/{guildId}/history', { params: { ...inGuild(guildId), query: { days } } })),
    staleTime: 60_000,
  });

export const rolesQuery = (guildId: string) =>
  queryOptions({
    queryKey: [...guildKey(guildId), 'roles'],
    queryFn: () =>
      wholeList((cursor) =>
        answerOf(api.GET('/api/guilds/{guildId}/roles', { params: { ...inGuild(guildId), query: cursorOf(cursor) } })),
      ),
  });

/** How many people have each of the server's roles, by its id; null where Discord doesn't say. */
export const holdersQuery = (guildId: string) =>
  queryOptions({
    queryKey: [...guildKey(guildId), 'holders'],
    queryFn: async () => {
      const roles = await wholeList((cursor) =>
        answerOf(
          api.GET('/api/guilds/{guildId}/roles', {
            params: { ...inGuild(guildId), query: { ...cursorOf(cursor), holders: 'true' } },
          }),
        ),
      );
      return new Map(roles.map(({ roleId, holders }) => [roleId, holders ?? null]));
    },
    staleTime: 60_000,
  });

export const groupsQuery = (guildId: string) =>
  queryOptions({
    queryKey: [...guildKey(guildId), 'groups'],
    queryFn: () =>
      wholeList((cursor) =>
        answerOf(api.GET('/api/guilds/{guildId}/groups', { params: { ...inGuild(guildId), query: cursorOf(cursor) } })),
      ),
  });

export const mappingsQuery = (guildId: string) =>
  queryOptions({
    queryKey: [...guildKey(guildId), 'mappings'],
    queryFn: () =>
      wholeList((cursor) =>
        answerOf(
          api.GET('/api/guilds/{guildId}/mappings', { params: { ...inGuild(guildId), query: cursorOf(cursor) } }),
        ),
      ),
  });

/** A mapping with its ETag, for If-Match. */
export const mappingQuery = (guildId: string, mappingId: string) =>
  queryOptions({
    queryKey: [...guildKey(guildId), 'mapping', mappingId],
    queryFn: () =>
      taggedAnswerOf<Mapping>(
        api.GET('/api/guilds/{guildId}/mappings/{mappingId}', { params: { path: { guildId, mappingId } } }),
      ),
    gcTime: 0,
  });

/** A server's set-up: its choices, each rank with its role, and what is wrong. */
export const setupQuery = (guildId: string) =>
  queryOptions({
    queryKey: [...guildKey(guildId), 'setup'],
    queryFn: () => answerOf(api.GET('/api/guilds/{guildId}/setup', { params: { path: { guildId } } })),
  });

/** The panel that was posted last, if it is still there. */
export const panelQuery = (guildId: string) =>
  queryOptions({
    queryKey: [...guildKey(guildId), 'panel'],
    queryFn: () => answerOf(api.GET('/api/guilds/{guildId}/panel', { params: inGuild(guildId) })),
  });

/** The settings with their ETag, for If-Match. */
export const settingsQuery = (guildId: string) =>
  queryOptions({
    queryKey: [...guildKey(guildId), 'settings'],
    queryFn: () => taggedAnswerOf(api.GET('/api/guilds/{guildId}/settings', { params: inGuild(guildId) })),
  });

export const lastChangesQuery = (guildId: string) =>
  queryOptions({
    queryKey: [...guildKey(guildId), 'last-changes'],
    queryFn: () =>
      answerOf(api.GET('/api/guilds/{guildId}/logs', { params: { ...inGuild(guildId), query: { limit: 5 } } })),
    refetchInterval: renewed('figures'),
  });

const isUnfinished = (job: Resync | undefined): boolean => job?.state === 'queued' || job?.state === 'running';

/** A resync, renewed while it is unfinished. */
export const resyncQuery = (guildId: string, jobId: string) =>
  queryOptions({
    queryKey: [...guildKey(guildId), 'resync', jobId],
    queryFn: () => answerOf(api.GET('/api/guilds/{guildId}/resync/{jobId}', { params: { path: { guildId, jobId } } })),
    refetchInterval: ({ state }) => renewalMs(state, isUnfinished(state.data) ? 'work' : null),
  });

export const resyncsQuery = (guildId: string) =>
  queryOptions({
    queryKey: [...guildKey(guildId), 'resyncs'],
    queryFn: () =>
      answerOf(api.GET('/api/guilds/{guildId}/resyncs', { params: { ...inGuild(guildId), query: { limit: 20 } } })),
    // A resync started elsewhere, by a person or the schedule, appears automatically.
    refetchInterval: renewed('events'),
  });

export const channelsQuery = (guildId: string) =>
  queryOptions({
    queryKey: [...guildKey(guildId), 'channels'],
    async queryFn() {
      const { data } = await answerOf(api.GET('/api/guilds/{guildId}/channels', { params: inGuild(guildId) }));
      return data;
    },
  });
