import { type RoleVerdict, type Verdict, verdictOn } from './oracle.js';
import { hasBot, type Stage, type StageGuild } from './stage.js';

type Snapshot = Map<string, Verdict>;

/** The people that have lost roles in a guild, by the service's clock while nobody sets it. */
interface Losses {
  jumps: number;
  lastOf: Map<string, number>;
  counted: number[];
  /** The last hour's limits. */
  limits: { until: number; most: number }[];
}

const hourMs = 3_600_000;
/** A loss is seen some minutes later than it was counted. */
const surelyWithinMs = 3_000_000;

const keyOf = (guildId: string, chatUserId: string): string => `${guildId} ${chatUserId}`;

/**
 * Watches the bot's every change. A role may be taken only if the oracle denies it, and given only if the oracle gives
 * it, and a person kicked only if it kicks them, at some moment since the change can have been planned.
 */
export class Watch {
  #recent: Snapshot[] = [];
  readonly #seen = new Map<string, number>();
  readonly #losses = new Map<string, Losses>();
  readonly problems: string[] = [];

  constructor(private readonly stage: Stage) {}

  /** Records the due state. Called after each step, before the service can know about it. */
  look(): void {
    const { confirmed, discord } = this.stage;
    const snapshot: Snapshot = new Map();
    for (const guild of confirmed.guilds) {
      this.#noteLimit(guild);
      if (!hasBot(discord, guild.guildId)) continue;
      for (const id of peopleIn(this.stage, guild)) {
        snapshot.set(keyOf(guild.guildId, id), verdictOn(this.stage, confirmed, guild, id, { isSettled: false }));
      }
    }
    this.#recent.push(snapshot);
  }

  /** Judges the bot's changes since the last time. */
  async judge(): Promise<void> {
    // Asked first: running work may have been planned before.
    const { service, confirmed } = this.stage;
    const guildIds = confirmed.guilds.map(({ guildId }) => guildId);
    const isIdle = await service.isIdle(guildIds, { surely: true });
    if (this.stage.ranksMove) this.look();
    for (const guild of confirmed.guilds) this.#judgeGuild(guild);
    if (isIdle) this.#recent = this.#recent.slice(-1);
  }

  #judgeGuild(guild: StageGuild): void {
    const { discord } = this.stage;
    const records = discord.auditLog(guild.guildId);
    const seen = this.#seen.get(guild.guildId) ?? 0;
    this.#seen.set(guild.guildId, records.length);
    for (const { action, executorId, userId, changes } of records.slice(seen)) {
      if (executorId !== discord.application.botUserId) continue;
      if (action === 'MEMBER_KICK') this.#requireKick(guild, userId);
      for (const id of changes.rolesRemoved) this.#require(guild, userId, id, 'must not', 'was taken from');
      for (const id of changes.rolesAdded) this.#require(guild, userId, id, 'must', 'was given to');
      if (action === 'MEMBER_KICK' || changes.rolesRemoved.length > 0) this.#countLoss(guild, userId);
    }
  }

  /** RESYNC-9: people from `people` on, and more than the share. The service may know two members more. */
  #noteLimit(guild: StageGuild): void {
    const { people, sharePercent } = guild.settings.massRemoval;
    const members = this.stage.discord.memberIds(guild.guildId).length + 2;
    const most = Math.max(people - 1, Math.floor((members * sharePercent) / 100));
    const { epochMs, jumps } = this.stage.service.now;
    const known = this.#losses.get(guild.guildId);
    const losses = known?.jumps === jumps ? known : { jumps, lastOf: new Map(), counted: [], limits: [] };
    losses.limits = [...losses.limits.filter(({ until }) => until > epochMs - hourMs), { until: epochMs, most }];
    this.#losses.set(guild.guildId, losses);
  }

  /** SYNC-10: no more people than the limit lose roles within the hour. What follows a confirmation counts anew. */
  #countLoss(guild: StageGuild, userId: string): void {
    const losses = this.#losses.get(guild.guildId);
    const { epochMs, jumps } = this.stage.service.now;
    if (losses === undefined || losses.jumps !== jumps || guild.confirmations > 0) return;
    const last = losses.lastOf.get(userId) ?? 0;
    losses.lastOf.set(userId, epochMs);
    if (last > epochMs - hourMs) return;
    losses.counted = [...losses.counted.filter((at) => at > epochMs - surelyWithinMs), epochMs];
    const most = Math.max(...losses.limits.map((limit) => limit.most));
    if (losses.counted.length <= most) return;
    this.problems.push(`${losses.counted.length} people lost roles in ${guild.name} within the hour, not ${most}`);
  }

  #require(guild: StageGuild, userId: string, roleId: string, wanted: RoleVerdict, what: string): void {
    const verdicts = this.#verdictsOn(guild, userId).flatMap(({ roles }) => roles.get(roleId) ?? []);
    if (!contradicts(verdicts, wanted)) return;
    this.problems.push(
      `${nameOfRole(guild, roleId)} ${what} ${nameOf(this.stage, userId)} in ${guild.name}: "${saidIn(verdicts)}"`,
    );
  }

  #requireKick(guild: StageGuild, userId: string): void {
    const verdicts = this.#verdictsOn(guild, userId).map(({ kick }) => kick);
    if (!contradicts(verdicts, 'must')) return;
    this.problems.push(`${nameOf(this.stage, userId)} was kicked from ${guild.name}: "${saidIn(verdicts)}"`);
  }

  #verdictsOn({ guildId }: StageGuild, userId: string): Verdict[] {
    return this.#recent.flatMap((snapshot) => snapshot.get(keyOf(guildId, userId)) ?? []);
  }
}

/** Without verdicts there was no person to judge: they left immediately, or the role was deleted. */
const contradicts = (verdicts: readonly RoleVerdict[], wanted: RoleVerdict): boolean =>
  verdicts.length > 0 && !verdicts.includes(wanted) && !verdicts.includes('any');

const saidIn = (verdicts: readonly RoleVerdict[]): string => [...new Set(verdicts)].join(', then ');

/** Everybody's differences from the oracle, in words. */
export function differences(stage: Stage): string[] {
  const { confirmed, discord } = stage;
  return confirmed.guilds.flatMap((guild) => {
    if (!hasBot(discord, guild.guildId)) return [];
    return peopleIn(stage, guild).flatMap((id) => {
      const verdict = verdictOn(stage, confirmed, guild, id, { isSettled: true });
      const { roleIds = [], nickname = null } = discord.member(guild.guildId, id) ?? {};
      const who = `${nameOf(stage, id)} in ${guild.name}`;
      // A person with a gone account is not kicked, nor one that can't be distinguished from them; all others are out
      // now.
      if (verdict.kick === 'must') return [`${who} is still there`];
      const wrong = [...verdict.roles].flatMap(([roleId, wanted]) => {
        const holds = roleIds.includes(roleId);
        if (holds ? wanted !== 'must not' : wanted !== 'must') return [];
        return [`${who} ${holds ? 'holds' : 'lacks'} ${nameOfRole(guild, roleId)}`];
      });
      if (verdict.nickname === undefined || verdict.nickname === nickname) return wrong;
      return [...wrong, `${who} is called ${nickname}, not ${verdict.nickname}`];
    });
  });
}

function peopleIn({ discord }: Stage, { guildId }: StageGuild): string[] {
  return discord.memberIds(guildId).filter((id) => id !== discord.application.botUserId);
}

const nameOf = (stage: Stage, id: string): string => stage.discord.user(id).username.replace(/\d+$/, '');

function nameOfRole({ roleIds, levelRoleId, unmappedRoleId }: StageGuild, id: string): string {
  if (id === unmappedRoleId) return 'the unmapped role';
  return id === levelRoleId ? 'the role of the level' : `role ${roleIds.indexOf(id) + 1}`;
}
