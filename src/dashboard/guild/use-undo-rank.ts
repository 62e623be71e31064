import { api } from '../api/client.js';
import { useGuild } from './guild-context.js';
import { useUndo } from './use-undo.js';

/** Takes a change of a rank in a group back. */
export function useUndoRank(groupId: string): (changeId: string) => Promise<void> {
  const { guildId } = useGuild();
  return useUndo(guildId, (changeId: string) =>
    api.POST('/api/guilds/{guildId}/groups/{groupId}/ranks/{changeId}/undo', {
      params: { path: { guildId, groupId, changeId } },
    }),
  );
}
