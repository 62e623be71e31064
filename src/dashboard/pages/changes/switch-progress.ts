import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { answerOf, api } from '../../api/client.js';
import { guildKey, resyncQuery, resyncsQuery } from '../../api/queries.js';
import { renewalMs } from '../../api/renewal.js';
import { useGuild } from '../../guild/guild-context.js';
import { isOpen } from '../../guild/resync-words.js';

const switchQuery = (guildId: string) =>
  queryOptions({
    queryKey: [...guildKey(guildId), 'switch'],
    queryFn: () => answerOf(api.GET('/api/guilds/{guildId}/differences/switch', { params: { path: { guildId } } })),
  });

/**
 * The latest switch, and the running resync: the switch's, or one to find the differences
 * again after an undo. At each step the page reads its data again.
 */
export function useSwitchProgress() {
  const { guildId } = useGuild();
  const queryClient = useQueryClient();
  const resyncs = useQuery(resyncsQuery(guildId));
  const all = resyncs.data?.data ?? [];
  const jobId = all.find(isOpen)?.jobId ?? null;
  const { data: job } = useQuery({ ...resyncQuery(guildId, jobId ?? ''), enabled: jobId !== null });
  const isRunning = job !== undefined && isOpen(job);
  const { data: answer } = useQuery({
    ...switchQuery(guildId),
    refetchInterval: ({ state }) =>
      renewalMs(state, isRunning || state.data?.switch?.state === 'undoing' ? 'work' : null),
  });
  const found = answer?.switch ?? null;
  const step = answer && [all[0]?.jobId, all[0]?.state, isRunning, found?.jobId, found?.state].join();
  const last = useRef(step);
  useEffect(() => {
    const isNews = last.current !== undefined && last.current !== step;
    last.current = step;
    if (isNews) void queryClient.invalidateQueries({ queryKey: guildKey(guildId) });
  }, [step, guildId, queryClient]);
  return { jobId, found, isSwitching: isRunning && found?.jobId === jobId };
}
