import type { Guild } from '../../../core/guilds/guild-service.js';
import { clock } from '../../../lib/clock.js';
import { minuteMs } from '../../../lib/time.js';
import { keptTraitsOf } from '../../accounts/account-traits.js';
import type { GameTraits } from '../../mappings/game-traits.js';
import { GuildRanks } from '../plan/guild-ranks.js';
import { type GuildRules, readWholeRules } from '../plan/guild-rules.js';
import type { CrowdReading } from '../plan/member-state.js';
import type { PlannedChange } from '../plan/planned-change-model.js';

/** Older readings are repeated before a member is written by them (RESYNC-12). */
const trueForMs = 5 * minuteMs;

/** Whether a reading has to be repeated. One in the future stems from before the clock was set back. */
export function isOld(readAt: Date): boolean {
  const ageMs = clock.epochMs() - readAt.getTime();
  return ageMs >= trueForMs || ageMs < 0;
}

export type GuildReading = Omit<CrowdReading, 'traits'>;

/** Readings for planning a resync's members again: batched, and taken from the plan while they are young. */
export class ReadingsNow {
  #asked = new Set<string>();
  #traits: ReadonlyMap<string, GameTraits> = new Map();

  constructor(
    readonly signal: AbortSignal,
    public reading?: GuildReading | undefined,
  ) {}

  /**
   * The readings to plan a change again. `ahead` are changes that come soon and share its calls. Throws
   * GamePlatformUnavailable, and the signal's reason.
   */
  async of(guild: Guild, change: PlannedChange, ahead: readonly PlannedChange[]): Promise<CrowdReading> {
    let { reading } = this;
    if (reading === undefined || isOld(reading.readAt) || !this.#asked.has(change.chatUserId))
      reading = await this.#read(guild, [change, ...ahead]);
    return { ...reading, traits: this.#traits.get(change.chatUserId) };
  }

  async #read(guild: Guild, changes: readonly PlannedChange[]): Promise<GuildReading> {
    let { reading } = this;
    if (reading === undefined || isOld(reading.readAt)) {
      const readAt = clock.now();
      const rules = await readWholeRules(guild);
      reading = { rules, ranks: new GuildRanks(rules.groupIds, this.signal), readAt };
    }
    await reading.ranks.read(changes.flatMap(({ standing: memberState }) => memberState.gameUserId ?? []));
    this.#traits = await traitsOfChanges(guild._id, changes, reading.rules);
    this.#asked = new Set(changes.map(({ chatUserId }) => chatUserId));
    this.reading = reading;
    return reading;
  }
}

export function traitsOfChanges(
  guildId: string,
  changes: readonly PlannedChange[],
  { traitsWanted }: Pick<GuildRules, 'traitsWanted'>,
): Promise<ReadonlyMap<string, GameTraits>> {
  const members = changes.map(({ chatUserId, standing: memberState }) => ({
    chatUserId,
    ...(memberState.gameUserId !== null && { gameUserId: memberState.gameUserId }),
  }));
  return keptTraitsOf(guildId, members, traitsWanted, { enqueues: false });
}
