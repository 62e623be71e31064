import { queryOptions } from '@tanstack/react-query';
import type { Schemas } from '../../client/api-types.js';
import { answerOf, api } from '../api/client.js';
import { guildKey } from '../api/queries.js';
import { renewalMs } from '../api/renewal.js';

export type Move = Schemas['Move'];
export type MoveStep = Move['steps'][number]['step'];

/** A server's way from another bot. It moves on by itself while everybody is compared. */
export const moveQuery = (guildId: string) =>
  queryOptions({
    queryKey: [...guildKey(guildId), 'move'],
    queryFn: () => answerOf(api.GET('/api/guilds/{guildId}/move', { params: { path: { guildId } } })),
    refetchInterval: ({ state }) => renewalMs(state, state.data?.comparison.state === 'running' ? 'work' : 'figures'),
  });
