import type { GuildSettings } from '../../src/core/settings/guild-settings.js';
import type { Condition } from '../../src/features/mappings/condition.js';

/** A mapping as the script has set it. */
export interface ToldMapping {
  mappingId: string;
  condition: Condition;
  roleIds: string[];
  nickname?: { template: string; order: number } | null;
  removeWhenUnmatched: boolean;
  enabled: boolean;
}

/** What a script has told the service about one guild, and was answered that it is done. */
export interface ToldGuild {
  guildId: string;
  name: string;
  ownerId: string;
  suspended: boolean;
  settings: GuildSettings;
  mappings: ToldMapping[];
  /** Who proved the account that they have here, and was not unlinked since. */
  provenHere: Set<string>;
  /** Whom an admin has unlinked here, until they prove an account here again. */
  blocked: Set<string>;
  /**
   * What people said about their account being seen here: `open` is `given` or nothing at all, since an unlink may have
   * ended it, and `any` may be anything.
   */
  consents: Map<string, 'given' | 'refused' | 'open' | 'any'>;
  /** Whose only account was proved elsewhere while this guild asks, and who has not answered: nothing links them here. */
  unseen: Set<string>;
}

/** What a script has told the service, and was answered that it is done. */
export interface Told {
  /** The Roblox account of each person on Discord who has one. */
  accounts: Map<string, string>;
  /** Who has ever had one: an unlink may have left them their roles. */
  everLinked: Set<string>;
  /** Whose account nobody knows, since the service did not answer. */
  uncertain: Set<string>;
  guilds: ToldGuild[];
}
