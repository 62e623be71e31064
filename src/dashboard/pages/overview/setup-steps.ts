import { useQuery } from '@tanstack/react-query';
import type { Schemas } from '../../../client/api-types.js';
import { panelQuery } from '../../api/queries.js';
import { useGuild, useReasonAgainst } from '../../guild/guild-context.js';

type Overview = Schemas['GuildOverview'];

/** The steps to a working server, each derived from its data and with what the person's role lacks, and whether all are done. */
export function useSetupSteps(overview: Overview) {
  const { guildId, health } = useGuild();
  const isBelow = health.some(({ code }) => code === 'missing_manage_roles' || code === 'role_above_bot');
  const isVerified = overview.members.linked > 0;
  const panel = useQuery(panelQuery(guildId));
  const [againstManager, againstAdmin] = [useReasonAgainst('manager'), useReasonAgainst('admin')];
  const isAdmin = againstAdmin === undefined;
  const steps = [
    { name: 'bot', done: true },
    {
      name: 'group',
      done: overview.counts.groups > 0,
      to: isAdmin ? '/g/$guildId/setup' : '/g/$guildId/groups',
      reason: againstManager,
    },
    {
      name: 'mapping',
      done: overview.counts.mappings > 0,
      to: isAdmin ? '/g/$guildId/setup' : '/g/$guildId/mappings/new',
      reason: againstManager,
    },
    // A server without mappings gives no roles yet, so nothing says whether Rolelink's role is above them.
    { name: 'role', done: overview.counts.mappings > 0 && !isBelow },
    { name: 'panel', done: panel.data === undefined || panel.data.panel !== null, reason: againstAdmin },
    { name: 'verified', done: isVerified },
  ] as const;
  // Where people verify without a panel, nothing is missing.
  const isDone = steps.every(({ name, done }) => done || (name === 'panel' && isVerified));
  return { steps, isDone };
}

export type SetupStep = ReturnType<typeof useSetupSteps>['steps'][number];
