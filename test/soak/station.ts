import { setTimeout as delay } from 'node:timers/promises';
import { defaultSettings, type GuildSettings } from '../../src/core/settings/guild-settings.js';
import type { PeopleImport } from '../../src/features/people-import/people-import-model.js';
import type { StoredPlan } from '../../src/features/sync/plan/plan-model.js';
import { buildCrowd, type Crowd, mapCrowd } from '../faults/resync-crowd.js';
import type { Answer } from '../model/model-service.js';
import type { Platforms } from '../model/oracle.js';
import { eventually } from '../support/build.js';
import type { TwoServices } from './two-services.js';

/** How long a plan, an import or an undo may take, with kills in it. */
const endedWithinMs = 300_000;
const [followedWithinMs, askAgainMs, tries] = [60_000, 2_000, 60];

/** A crowd whose owner changes many people at once, again and again, with people to import. */
export class Station {
  readonly done: Record<string, number> = {};
  readonly problems: string[] = [];

  private constructor(
    private readonly platforms: Platforms,
    private readonly service: TwoServices,
    readonly crowd: Crowd,
    private readonly strangers: { chatUserId: string; gameUserId: string }[],
  ) {}

  static async build(
    platforms: Platforms,
    service: TwoServices,
    { people, strangers }: { people: number; strangers: number },
  ): Promise<Station> {
    const { discord, roblox } = platforms;
    const crowd = await buildCrowd(people, { ...platforms, database: service.db });
    const pairs = Array.from({ length: strangers }, (_, index) => {
      const name = `Stranger${crowd.guildId.slice(-6)}_${index}`;
      const { id: gameUserId } = roblox.addUser({ username: name });
      const { id: chatUserId } = discord.addUser({ username: name.toLowerCase() });
      roblox.setRank(crowd.groupId, gameUserId, 1);
      discord.join(crowd.guildId, chatUserId);
      return { chatUserId, gameUserId };
    });
    const station = new Station(platforms, service, crowd, pairs);
    const known = { _id: crowd.guildId, present: true };
    await eventually(() => service.db.collection<{ _id: string }>('guilds').findOne(known), 'the guild');
    await mapCrowd((path, body) => station.#ask('POST', path, body, [201]), crowd);
    return station;
  }

  /** A switch and its undo, a resync, an import and its undo. */
  async round(): Promise<void> {
    await this.#setMode('observe');
    await this.#mess();
    const before = this.#roles();
    await this.#begin('differences/go-live', async () => ({
      previewId: (await this.#ask('POST', 'sync/preview', {}, [200, 201])).body.previewId,
    }));
    await this.#ended({ goesLive: true });
    await this.#compare('going live', this.#expected());
    await this.#begin('differences/undo');
    await this.#ended({ kind: 'undo' });
    await this.#compare('the undo of the switch', before);
    await this.#setMode('enforce');
    await this.#quiet();
    // A person has six an hour.
    await this.service.db.collection('rate_limits').deleteMany({});
    await this.#begin('resync');
    await this.#ended({ kind: 'whole', 'actor.id': this.crowd.ownerId });
    await this.#followed('resync', () => this.#differing(this.#expected()).length === 0);
    await this.#import();
  }

  async #import(): Promise<void> {
    const { people } = { people: this.strangers };
    await this.#begin('people/import', async () => {
      const { reviewKey } = (await this.#ask('POST', 'people/import', { people }, [200])).body;
      return { people, dryRun: false, reviewKey };
    });
    const started = await this.#importEnded('the import');
    if (started.counts.imported !== people.length) this.#say(`the import gave ${JSON.stringify(started.counts)}`);
    await this.#followed('import', () => this.#strangersWithRole() === people.length);
    await this.#begin(`people/import/${started._id}/undo`);
    const { undo } = await this.#importEnded('the undo of the import');
    if (undo?.taken !== people.length) this.#say(`the undo of the import gave ${JSON.stringify(undo)}`);
    await this.#followed('import undo', () => this.#strangersWithRole() === 0);
  }

  #say(what: string): void {
    this.problems.push(`${this.crowd.guildId}: ${what}`);
  }

  #count(what: string): void {
    this.done[what] = (this.done[what] ?? 0) + 1;
  }

  /** Asks until the answer is one of these: other work of the guild may have to end first. */
  async #ask(method: string, path: string, body: unknown, wanted: number[]): Promise<Answer> {
    const owner = { id: this.crowd.ownerId, username: 'owner' };
    let last: Answer | undefined;
    for (let times = 0; times < tries; times += 1) {
      last = await this.service.ask(owner, method, `/api/guilds/${this.crowd.guildId}/${path}`, body);
      if (wanted.includes(last.status)) return last;
      await delay(askAgainMs);
    }
    throw new Error(`${method} ${path} was answered ${last?.status} ${JSON.stringify(last?.body)}`);
  }

  async #begin(path: string, make: () => Promise<object> = async () => ({})): Promise<void> {
    const owner = { id: this.crowd.ownerId, username: 'owner' };
    for (let times = 0; ; times += 1) {
      const answer = await this.service.ask(owner, 'POST', `/api/guilds/${this.crowd.guildId}/${path}`, await make());
      if (answer.status === 202 || answer.status === 200) break;
      if (times >= tries) throw new Error(`${path} was answered ${answer.status} ${JSON.stringify(answer.body)}`);
      await delay(askAgainMs);
    }
    this.#count(path.replace(/pim_\w+|imp_\w+|\/[a-z]+_[0-9a-f]+/, ''));
  }

  async #setMode(mode: GuildSettings['mode']): Promise<void> {
    const settings = { ...defaultSettings, mode, massRemoval: { sharePercent: 100, people: 1_000 } };
    await this.#ask('PUT', 'settings', settings, [200]);
    this.#count(`mode ${mode}`);
  }

  /** Half of the people lose what they hold, by hand. */
  async #mess(): Promise<void> {
    // A catch-up that began before would take the mess for its own.
    await this.#quiet();
    for (const { chatUserId } of this.crowd.members.filter((_, index) => index % 2 === 0))
      this.platforms.discord.setMemberRoles(this.crowd.guildId, chatUserId, []);
  }

  async #quiet(): Promise<void> {
    const open = { guildId: this.crowd.guildId, open: true };
    const isQuiet = async () => (await this.service.db.collection('plans').countDocuments(open)) === 0;
    await eventually(isQuiet, 'the quiet of the crowd', endedWithinMs);
  }

  async #ended(wish: object): Promise<void> {
    const plans = this.service.db.collection<StoredPlan>('plans');
    const latest = () => plans.findOne({ guildId: this.crowd.guildId, ...wish }, { sort: { _id: -1 } });
    const over = async () => ((await latest())?.open === true ? null : latest());
    const { state } = await eventually(over, `the end of ${JSON.stringify(wish)}`, endedWithinMs);
    if (state !== 'completed') this.#say(`${JSON.stringify(wish)} ended as ${state}`);
  }

  async #importEnded(what: string): Promise<PeopleImport> {
    const imports = this.service.db.collection<PeopleImport>('people_imports');
    const latest = () => imports.findOne({ guildId: this.crowd.guildId }, { sort: { _id: -1 } });
    return eventually(async () => ((await latest())?.open === true ? null : latest()), what, endedWithinMs);
  }

  #rolesOf = (chatUserId: string): string =>
    [...(this.platforms.discord.member(this.crowd.guildId, chatUserId)?.roleIds ?? [])].sort().join();
  #roles = () => new Map(this.crowd.members.map(({ chatUserId }) => [chatUserId, this.#rolesOf(chatUserId)]));
  #expected = () => new Map(this.crowd.members.map(({ chatUserId, expected }) => [chatUserId, expected.join()]));
  #differing = (wanted: ReadonlyMap<string, string>) =>
    [...wanted].filter(([chatUserId, roles]) => this.#rolesOf(chatUserId) !== roles);
  #strangersWithRole = () =>
    this.strangers.filter(({ chatUserId }) => this.#rolesOf(chatUserId) === this.crowd.memberRole).length;

  /** Soon: a catch-up that a restart began may have a part of the people in hand. */
  async #compare(what: string, wanted: ReadonlyMap<string, string>): Promise<void> {
    await eventually(() => this.#differing(wanted).length === 0, what, followedWithinMs).catch(() => undefined);
    const wrong = this.#differing(wanted);
    const [[chatUserId = '', roles = ''] = []] = wrong;
    if (wrong.length > 0) this.#say(`${what} left ${wrong.length} wrong: ${roles} ${await this.#tell(chatUserId)}`);
  }

  /** What is known about a person with wrong roles. */
  async #tell(chatUserId: string): Promise<string> {
    const { db } = this.service;
    const where = { guildId: this.crowd.guildId, chatUserId };
    const changes = await db.collection('planned_changes').find(where).toArray();
    const member = await db.collection('members').findOne(where);
    const records = this.platforms.discord.auditLog(this.crowd.guildId).filter(({ userId }) => userId === chatUserId);
    return JSON.stringify({ now: this.#rolesOf(chatUserId), changes, member, records: records.slice(-4) });
  }

  async #followed(what: string, isDone: () => boolean): Promise<void> {
    await eventually(isDone, what, endedWithinMs).catch(() => this.#say(`the roles never followed: ${what}`));
  }

  /** At the end: everybody as the rules say. */
  async judge(): Promise<string[]> {
    await this.#compare('the hour', this.#expected());
    return this.problems;
  }
}
