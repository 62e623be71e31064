import { createContext, use } from 'react';
import type { Guild, TeamRole } from '../api/queries.js';
import { useWords } from '../i18n/words-provider.js';

export const GuildContext = createContext<Guild | undefined>(undefined);

/** The server of these pages; undefined until it is known. */
export const useKnownGuild = (): Guild | undefined => use(GuildContext);

/** The server of these pages. */
export function useGuild(): Guild {
  const guild = use(GuildContext);
  if (guild === undefined) throw new Error('There is no guild frame above.');
  return guild;
}

const rights: readonly TeamRole[] = ['viewer', 'manager', 'admin', 'owner'];

/** Why the person may not use an action that requires the team role `least`; undefined if they may. */
export function useReasonAgainst(least: Exclude<TeamRole, 'viewer'>): string | undefined {
  const { role } = useGuild();
  const { t } = useWords();
  if (rights.indexOf(role) >= rights.indexOf(least)) return undefined;
  return t(`role.needed_${least}`);
}

/** The team roles that grant no more than `own`, the least first. */
export const rightsUpTo = (own: TeamRole): readonly TeamRole[] => rights.slice(0, rights.indexOf(own) + 1);
