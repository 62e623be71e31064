import { Avatar } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { answerOf, api } from '../api/client.js';
import { guildKey } from '../api/queries.js';
import { useGuild } from './guild-context.js';

/** People per request, as many as the member list shows on a page. */
const atOnce = 50;
const freshMs = 30 * 60_000;

type ById = Readonly<Record<string, string>>;

/** People's pictures on Discord and their Roblox heads, by Discord id; missing ones are left out. */
export function usePictures(ids: readonly string[]): { avatars: ById; heads: ById } {
  const { guildId } = useGuild();
  const chunks = Array.from({ length: Math.ceil(ids.length / atOnce) }, (_, index) =>
    ids.slice(index * atOnce, (index + 1) * atOnce),
  );
  const answers = useQueries({
    queries: chunks.map((some) => ({
      queryKey: [...guildKey(guildId), 'pictures', some],
      staleTime: freshMs,
      queryFn: () =>
        answerOf(
          api.GET('/api/guilds/{guildId}/pictures', { params: { path: { guildId }, query: { ids: some.join() } } }),
        ),
    })),
  });
  return {
    avatars: Object.assign({}, ...answers.map(({ data }) => data?.avatars)),
    heads: Object.assign({}, ...answers.map(({ data }) => data?.pictures)),
  };
}

/** A person's picture or initials. It stands next to their name, so it is silent for screen readers. */
export const PersonPicture = ({ src, name }: { src: string | undefined; name: string }) => (
  <Avatar src={src ?? null} name={name} size="sm" alt="" aria-hidden="true" />
);
