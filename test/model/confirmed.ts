import type { GuildSettings } from '../../src/core/settings/guild-settings.js';
import type { Condition } from '../../src/features/mappings/condition.js';
import type { HeldAccount } from './held-accounts.js';
import type { GameReports } from './told-facts.js';

/** A mapping as the script has set it. */
export interface ConfirmedMapping {
  mappingId: string;
  condition: Condition;
  roleIds: string[];
  nickname?: { template: string; order: number } | null;
  removeWhenUnmatched: boolean;
  enabled: boolean;
}

/** A guild's word about a person: the account, and the author's highest role; null: above all. */
export interface ConfirmedWord {
  gameUserId: string;
  ceilingRoleId: string | null;
  importId: string;
  /** Whether a later import names the same. */
  isNamedAgain?: true;
}

/** A script's confirmed requests about one guild. */
export interface ConfirmedGuild {
  guildId: string;
  name: string;
  ownerId: string;
  suspended: boolean;
  settings: GuildSettings;
  mappings: ConfirmedMapping[];
  /** The people with an account proved here, and not unlinked since. */
  provenHere: Set<string>;
  /** The people that an admin has unlinked here, until they prove an account here again. */
  blocked: Set<string>;
  /**
   * People's answers about showing their account here: `open` is `given` or no answer, since an unlink may have ended
   * it, and `any` may be anything.
   */
  consents: Map<string, 'given' | 'refused' | 'open' | 'any'>;
  /**
   * People with only an account proved elsewhere while this guild asks, and without an answer: nothing links them here.
   */
  unseen: Set<string>;
  /** The guild's own words about people. One that was covered by a proof since is uncertain once the proof has gone. */
  words: Map<string, ConfirmedWord>;
  /** The people about whom the guild may have a word. */
  doubtful: Set<string>;
  /** The accounts that people have chosen for this guild. */
  chosen: Map<string, string>;
  /** How often an admin has confirmed removals, or may have. */
  confirmations: number;
  /** Reports by the guild's game about people. */
  reports: GameReports;
}

/** A script's confirmed requests to the service. */
export interface Confirmed {
  /** Each person's proved accounts. */
  accounts: Map<string, HeldAccount[]>;
  /** The people that ever had an account: an unlink may have left them their roles. */
  everLinked: Set<string>;
  /** The people with an unknown account, since the service did not answer. */
  uncertain: Set<string>;
  guilds: ConfirmedGuild[];
}
