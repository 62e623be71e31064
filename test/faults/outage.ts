import { setTimeout as delay } from 'node:timers/promises';
import type { ServiceDoor } from '../model/model-service.js';
import { peopleSteps } from '../model/people-steps.js';
import { buildStage, type Person, type Stage, type StageGuild } from '../model/stage.js';
import { differences } from '../model/watch.js';

/** An outage's length, and the longest wait for everybody, by the service's clock. */
const awaySeconds = 600;
const longestSeconds = 26 * 3_600;
/** The service clock's step; due work runs between steps. */
const tickSeconds = 5;
/** The same, long after everyone should have been in step. */
const longTickSeconds = 60;
/** Time for running work, by the real clock. */
const tickMs = 60;

/** Something that can be away. */
export interface Outage {
  what: string;
  begin(stage: Stage): unknown;
  end(stage: Stage): unknown;
}

export interface OutageResult {
  what: string;
  events: number;
  /** By the service's clock, since the outage ended; undefined: never. */
  inStepAfterSeconds: number | undefined;
  /** By the real clock, all in all. */
  realSeconds: number;
  lost: string[];
}

export const outages: readonly Outage[] = [
  {
    what: 'gateway',
    begin: ({ discord }) => discord.dropGateway(longestSeconds * 1_000),
    end({ discord }) {
      // Discord forgets a session long before.
      discord.invalidateSessions();
      discord.dropGateway();
    },
  },
  { what: 'database', begin: ({ service }) => service.cutDatabase(), end: ({ service }) => service.mendDatabase() },
  {
    what: 'Roblox',
    begin: ({ roblox }) => roblox.inject({ match: /roblox\.com/, status: 503 }),
    end: ({ roblox }) => roblox.clearFaults(),
  },
  {
    what: 'Discord’s REST',
    begin: ({ discord }) => discord.inject({ match: /discord\.com/, status: 503 }),
    end: ({ discord }) => discord.clearFaults(),
  },
  { what: 'process', begin: ({ service }) => service.kill(), end: ({ service }) => service.start() },
];

/** Lets something be away for ten minutes by the service's clock, and measures how long it takes until all is right. */
export async function measureOutage(
  house: Pick<Stage, 'discord' | 'roblox' | 'service'>,
  outage: Outage,
): Promise<OutageResult> {
  const startedAt = performance.now();
  const stage = await buildStage(house, house.service);
  const clock = await ServiceClock.of(stage.service);
  await linkEverybody(stage);
  await clock.passUntil(() => differences(stage).length === 0, longestSeconds);
  await outage.begin(stage);
  const events = await whatHappens(stage);
  await clock.pass(awaySeconds);
  await outage.end(stage);
  const inStepAfterSeconds = await clock.passUntil(() => differences(stage).length === 0, longestSeconds);
  const lost = differences(stage);
  const realSeconds = (performance.now() - startedAt) / 1_000;
  return { what: outage.what, events, inStepAfterSeconds, realSeconds, lost };
}

/** The service's clock, by which its standing jobs run at their own intervals. */
class ServiceClock {
  #now = 0;

  private constructor(
    private readonly service: ServiceDoor,
    private readonly jobs: { name: string; everySeconds: number; dueAt: number }[],
  ) {}

  static async of(service: ServiceDoor): Promise<ServiceClock> {
    const standing = await service.standing();
    const jobs = standing.map(({ name, everyMs }) => ({ name, everySeconds: everyMs / 1_000, dueAt: 0 }));
    return new ServiceClock(service, jobs);
  }

  async pass(seconds: number): Promise<void> {
    for (let passed = 0; passed < seconds; passed += tickSeconds) await this.#tick(tickSeconds);
  }

  /** The seconds that pass until `isSo`; undefined when `longest` pass before. */
  async passUntil(isSo: () => boolean, longest: number): Promise<number | undefined> {
    for (let passed = 0, tick = tickSeconds; passed < longest; passed += tick) {
      if (isSo()) return passed;
      tick = passed < awaySeconds ? tickSeconds : longTickSeconds;
      await this.#tick(tick);
    }
    return isSo() ? longest : undefined;
  }

  async #tick(seconds: number): Promise<void> {
    this.#now += seconds;
    await this.service.pass(seconds);
    const due = this.jobs.filter(({ dueAt }) => dueAt <= this.#now);
    for (const job of due) job.dueAt = this.#now + job.everySeconds;
    const names = due.map(({ name }) => name);
    const work = [this.service.runJobs(names), this.service.watchRanks()];
    // A job may wait for the missing platform.
    await Promise.race([Promise.allSettled(work), delay(tickMs)]);
    for (let waited = 0; waited < tickMs && !(await this.service.isIdle()); waited += 10) await delay(10);
  }
}

const choiceOf = (stage: Stage, guild: StageGuild, person: Person) => ({
  ...{ guild, person, roleId: guild.roleIds[0] ?? '', groupId: stage.groupIds[0] ?? '', value: 0 },
});

async function linkEverybody(stage: Stage): Promise<void> {
  for (const person of stage.people) {
    const guild = stage.confirmed.guilds.find(({ guildId }) => stage.discord.member(guildId, person.id));
    if (guild) await peopleSteps.link.act(stage, choiceOf(stage, guild, person));
  }
}

/** Joins, leaves, promotions and demotions in both guilds, and an unlink, if the service can be reached. */
async function whatHappens(stage: Stage): Promise<number> {
  const [red, blue] = stage.confirmed.guilds;
  const [ann, ben, cleo, dan, eve] = stage.people;
  if (!red || !blue || !ann || !ben || !cleo || !dan || !eve) throw new Error('The stage is empty.');
  peopleSteps.join.act(stage, choiceOf(stage, blue, ann));
  peopleSteps.join.act(stage, choiceOf(stage, red, dan));
  peopleSteps.leave.act(stage, choiceOf(stage, red, cleo));
  peopleSteps.promote.act(stage, choiceOf(stage, red, ben));
  peopleSteps.demote.act(stage, choiceOf(stage, red, ann));
  peopleSteps.leaveGroup.act(stage, choiceOf(stage, red, cleo));
  peopleSteps.leave.act(stage, choiceOf(stage, blue, cleo));
  peopleSteps.join.act(stage, choiceOf(stage, blue, cleo));
  if (!stage.service.answers) return 8;
  await peopleSteps.unlink.act(stage, choiceOf(stage, red, eve));
  return 9;
}
