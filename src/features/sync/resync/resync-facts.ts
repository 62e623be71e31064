import { clock } from '../../../lib/clock.js';
import { type GuildFacts, readGuildFacts } from '../../../platforms/discord/guild-facts.js';
import { readHeldRoles, readRulesKey } from '../plan/guild-rules.js';
import type { ResyncJob } from './resync-job-model.js';

/** Nothing is looked at more often than this. */
const freshForMs = 2_000;

/** A guild's roles, those among them that have become dangerous, and the key of its rules. */
interface FactsNow {
  facts: GuildFacts;
  heldRoleIds: ReadonlySet<string>;
  rulesKey: string;
}

/** What is true of a guild while its changes are applied: its roles on Discord, and whether its rules have changed. */
export class ResyncFacts {
  #readAt = Number.NEGATIVE_INFINITY;
  #read: Promise<FactsNow> | undefined;

  constructor(readonly job: Pick<ResyncJob, 'guildId' | 'fixedPlan' | 'rulesKey'>) {}

  /** Throws ChatPlatformUnavailable, and GoneFromDiscord when the bot is not in the guild. */
  async current(): Promise<Pick<FactsNow, 'facts' | 'heldRoleIds'>> {
    const { facts, heldRoleIds } = await this.#fresh();
    return { facts, heldRoleIds };
  }

  /** Whether what is left of the plan is void. One that was shown stands as it was. */
  async rulesChanged(): Promise<boolean> {
    return !this.job.fixedPlan && (await this.#fresh()).rulesKey !== this.job.rulesKey;
  }

  /** Reads anew the next time: Discord has refused something that was thought to be possible. */
  forget(): void {
    this.#read = undefined;
  }

  #fresh(): Promise<FactsNow> {
    const now = clock.monotonicMs();
    if (this.#read === undefined || now - this.#readAt >= freshForMs) {
      this.#readAt = now;
      this.#read = this.#readNow();
      this.#read.catch(() => this.forget());
    }
    return this.#read;
  }

  async #readNow(): Promise<FactsNow> {
    const { guildId } = this.job;
    const [facts, rulesKey] = await Promise.all([readGuildFacts(guildId), readRulesKey(guildId)]);
    return { facts, rulesKey, heldRoleIds: await readHeldRoles(guildId, facts) };
  }
}
