import type { AuditEntry } from '../../src/core/audit/audit-model.js';
import type { CrashStage } from './crash-house.js';

/** The effects since some moment, one line per kind, with their number. */
export type Tally = ReadonlyMap<string, number>;

/** An event's relevant part at a receiver. */
interface SentEvent {
  id: string;
  event: string;
  guildId: string;
  data: { chatUserId?: string; added?: string[]; removed?: string[]; nickname?: string | null; reason?: string };
}

/** Counts effects from here on. */
export class Tallier {
  private constructor(
    private readonly stage: CrashStage,
    private readonly entriesBefore: ReadonlySet<string>,
    private readonly receivedBefore: number,
    private readonly doneBefore: ReadonlyMap<string, number>,
  ) {}

  static async begin(stage: CrashStage): Promise<Tallier> {
    const entries = await stage.service.db.collection<AuditEntry>('audit_log').find().toArray();
    const done = stage.confirmed.guilds.map(({ guildId }): [string, number] => [
      guildId,
      stage.discord.auditLog(guildId).length,
    ]);
    return new Tallier(stage, new Set(entries.map(({ _id }) => _id)), stage.receiver.received.length, new Map(done));
  }

  /** @param traces ids to find in every collection. */
  async count(traces: readonly string[]): Promise<Tally> {
    const lines = [
      ...(await this.#entries()),
      ...this.#events(),
      ...this.#changes(),
      ...this.#messages(),
      ...(await this.#traces(traces)),
    ];
    const tally = new Map<string, number>();
    for (const line of lines) tally.set(line, (tally.get(line) ?? 0) + 1);
    return tally;
  }

  async #entries(): Promise<string[]> {
    const all = await this.stage.service.db.collection<AuditEntry>('audit_log').find().toArray();
    const news = all.filter(({ _id }) => !this.entriesBefore.has(_id));
    // The reconciliation after the bot's start is not counted, with its numbers for an observing server.
    const isOfStart = ({ action, actor }: AuditEntry): boolean =>
      actor.kind === 'system' && (action.startsWith('resync.') || action === 'guild.observed');
    const asked = news.filter((entry) => !isOfStart(entry));
    return asked.map(
      ({ guildId, action, target }) => `log of ${this.#name(guildId)}: ${action} ${this.#name(target.id)}`,
    );
  }

  /**
   * Among those with one id, one counts: a receiver knows it again. Syncs that have changed nothing are not counted.
   */
  #events(): string[] {
    const sent = this.stage.receiver.received
      .slice(this.receivedBefore)
      .map(({ body }): SentEvent => JSON.parse(body.toString()));
    const events = new Map(sent.map((event) => [event.id, event]));
    return [...events.values()].flatMap(({ event, guildId, data }) => {
      const what = `event of ${this.#name(guildId)}: ${event} ${this.#name(data.chatUserId ?? '')}`;
      if (event !== 'role.synced') return [`${what} ${data.reason ?? ''}`];
      const { added = [], removed = [], nickname } = data;
      return [
        ...added.map((id) => `${what} +${this.#name(id)}`),
        ...removed.map((id) => `${what} -${this.#name(id)}`),
        ...(nickname === undefined ? [] : [`${what} =${nickname === null ? 'none' : 'named'}`]),
      ];
    });
  }

  #changes(): string[] {
    const { discord, confirmed } = this.stage;
    return confirmed.guilds.flatMap(({ guildId }) => {
      const records = discord.auditLog(guildId).slice(this.doneBefore.get(guildId));
      const own = records.filter(({ executorId }) => executorId === discord.application.botUserId);
      return own.flatMap(({ action, userId, changes }) => {
        const what = `Discord of ${this.#name(guildId)}: ${this.#name(userId)}`;
        const given = changes.rolesAdded.map((id) => `${what} +${this.#name(id)}`);
        const taken = changes.rolesRemoved.map((id) => `${what} -${this.#name(id)}`);
        return given.length + taken.length > 0 ? [...given, ...taken] : [`${what} ${action}`];
      });
    });
  }

  /** Direct messages to people; there were none before that count. */
  #messages(): string[] {
    const { discord, people } = this.stage;
    return people.flatMap(({ id }) => discord.directMessages(id).map(() => `message to ${this.#name(id)}`));
  }

  /** Where an id is still to be found. */
  async #traces(ids: readonly string[]): Promise<string[]> {
    if (ids.length === 0) return [];
    const { db } = this.stage.service;
    const found: string[] = [];
    for (const { collectionName } of await db.collections()) {
      // The reconciliation after a start records everybody in a server, also a person erased a moment ago.
      const others = collectionName === 'members' ? { state: { $ne: 'joined' } } : {};
      const text = JSON.stringify(await db.collection(collectionName).find(others).toArray());
      for (const [index, id] of ids.entries())
        if (text.includes(`"${id}`)) found.push(`trace ${index} in ${collectionName}`);
    }
    return found;
  }

  /** An id as it is called on this stage, so that runs can be compared. */
  #name(id: string): string {
    const { people, confirmed, discord } = this.stage;
    const person = people.find((each) => each.id === id || each.gameUserId === id);
    if (person !== undefined) return person.username.replace(/\d+$/, '');
    for (const guild of confirmed.guilds) {
      if (guild.guildId === id) return guild.name;
      const role = discord.roles(guild.guildId).find((each) => each.id === id);
      if (role !== undefined) return role.name;
    }
    return id.replace(/_?[0-9a-f]*\d[0-9a-f]*$/, '');
  }
}

/** The differences between a tally and the expected one; `allowed` names the lines that may come more often. */
export function compareTallies(found: Tally, wanted: Tally, allowed: (line: string) => boolean): string[] {
  return [...new Set([...found.keys(), ...wanted.keys()])].flatMap((line) => {
    const [times, due] = [found.get(line) ?? 0, wanted.get(line) ?? 0];
    return times === due || (times > due && allowed(line)) ? [] : [`${line}: ${times} times, not ${due}`];
  });
}
