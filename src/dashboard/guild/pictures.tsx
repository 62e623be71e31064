import { Avatar } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { answerOf, api } from '../api/client.js';
import { guildKey } from '../api/queries.js';
import { useGuild } from './guild-context.js';

/** People who are asked for together: as many as a page of the list of members has. */
const atOnce = 50;
const freshMs = 30 * 60_000;

type ById = Readonly<Record<string, string>>;

/** The pictures of people on Discord, and their Roblox heads, by their Discord ids; who has none is left out. */
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

/** Somebody's picture, or their initials; beside their name, so that it says nothing of its own. */
export const PersonPicture = ({ src, name }: { src: string | undefined; name: string }) => (
  <Avatar src={src ?? null} name={name} size="sm" color="gray" alt="" aria-hidden="true" />
);
