import { setTimeout as delay } from 'node:timers/promises';
import { placesOf } from '../../src/features/accounts/account-model.js';
import { startDiscordSandbox } from '../sandbox/discord/discord-sandbox.js';
import { startRobloxSandbox } from '../sandbox/roblox/roblox-sandbox.js';
import type { ConfirmedGuild } from './confirmed.js';
import { followFacts } from './fact-steps.js';
import { gamesOf } from './held-accounts.js';
import { ModelService, type ServiceDoor } from './model-service.js';
import type { Platforms } from './oracle.js';
import { kindOf } from './script.js';
import { buildStage, type Stage, strikeStages } from './stage.js';
import { chosen, type Step } from './step.js';
import { differences, Watch } from './watch.js';
import { confirmRemovals } from './word-steps.js';

/** Discord lets a bot identify 1,000 times a day: after this many plays both sandboxes and the service are new ones. */
const playsAHouse = 60;
/** A little more than a day: the time for one reconciliation. */
const catchUpSeconds = 25 * 3_600;
/** New pending work waits for seconds, repeatedly failed work up to an hour: now and then that time passes. */
const [graceSeconds, retrySeconds, roundsARetry] = [60, 3_600, 8];
const settledWithinMs = 300_000;
/** Pending work that is unchanged in this many consecutive checks while nothing runs waits for its time. */
const [looks, looksAtRest, pollEveryMs] = [60, 3, 25];

let dbSerial = 0;

/** Plays scripts, one after the other, on one engine. */
export class Playhouse {
  #house: (Platforms & { service: ModelService }) | undefined;
  #played = 0;

  constructor(private readonly engineUri: string) {}

  /** Plays a script to its end; returns the faults in words. */
  async play(steps: readonly Step[]): Promise<string[]> {
    return (await this.playTogether([steps])).flat();
  }

  /**
   * Plays scripts to their end at the same time, each on its own stage, all with one service. A step that is the same
   * object in several scripts happens once. Returns each one's faults, in words.
   */
  async playTogether(scripts: readonly (readonly Step[])[]): Promise<string[][]> {
    if (this.#played >= playsAHouse) await this.close();
    const house = await this.#open();
    this.#played += 1;
    let problems: string[][];
    try {
      const stages = await Promise.all(scripts.map(() => buildStage(house, house.service, { ranks: true })));
      problems = await playOn(stages, scripts);
      await strikeStages(house.service, stages);
    } catch (error) {
      const why = `the harness: ${error instanceof Error ? error.stack : String(error)}`;
      problems = scripts.map(() => [why]);
    }
    // A fault must not affect the next scripts.
    if (problems.flat().length > 0) await this.close();
    return problems;
  }

  async close(): Promise<void> {
    const house = this.#house;
    this.#house = undefined;
    this.#played = 0;
    if (house === undefined) return;
    await house.service.close();
    await Promise.all([house.discord.stop(), house.roblox.stop()]);
  }

  async #open(): Promise<Platforms & { service: ModelService }> {
    if (this.#house !== undefined) return this.#house;
    const [discord, roblox] = await Promise.all([
      startDiscordSandbox({ rateLimits: false }),
      startRobloxSandbox({ rateLimits: false }),
    ]);
    dbSerial += 1;
    const service = await ModelService.prepare({ discord, roblox }, this.engineUri, `model_${process.pid}_${dbSerial}`);
    await service.start();
    this.#house = { discord, roblox, service };
    return this.#house;
  }
}

async function playOn(stages: readonly Stage[], scripts: readonly (readonly Step[])[]): Promise<string[][]> {
  const acts = stages.map((stage, index) => ({ stage, watch: new Watch(stage), script: scripts[index] ?? [] }));
  for (const { watch } of acts) watch.look();
  const longest = Math.max(...scripts.map(({ length }) => length));
  for (let place = 0; place < longest; place += 1) {
    for (const { watch } of acts) await watch.judge();
    const steps = new Map<Step, Stage>();
    for (const { stage, script } of acts) for (const step of script.slice(place, place + 1)) steps.set(step, stage);
    // Nothing comes between this look and a change by hand.
    for (const { stage, watch } of acts) if (stage.ranksMove) watch.look();
    await Promise.all([...steps].map(async ([step, stage]) => kindOf(step).act(stage, chosen(stage, step))));
    for (const { stage, watch } of acts) {
      followFacts(stage);
      watch.look();
    }
    await delay(Math.max(...[...steps.keys()].map(({ pauseMs }) => pauseMs)));
  }
  const left = await settle(stages);
  for (const { watch } of acts) await watch.judge();
  return acts.map(({ stage, watch }, index) => [...watch.problems, ...stage.problems, ...(left[index] ?? [])]);
}

/** Ends the faults and lets a day pass. Returns each stage's people out of step, and the service's pending work. */
export async function settle(stages: readonly Stage[]): Promise<string[][]> {
  const [first] = stages;
  if (first === undefined) return [];
  const { discord, roblox, service } = first;
  roblox.clearFaults();
  discord.clearFaults();
  service.mendDatabase();
  if (!service.isRunning) await service.start();
  await discord.ready();
  await service.connected();
  await Promise.allSettled(stages.flatMap(({ unawaited }) => unawaited));
  for (const stage of stages) {
    await askWhatIsUncertain(stage);
    followFacts(stage);
  }
  await untilDone(service, stages);
  await service.pass(catchUpSeconds);
  const left = await untilDone(service, stages);
  const notDone = left.length > 0 ? [`not done: ${left.join(', ')}`] : [];
  return stages.map((stage) => [...notDone, ...differences(stage)]);
}

/**
 * Lets the service do its work, time pass for waiting work, and admins confirm what waits for them; returns the rest
 * after a while.
 */
async function untilDone(service: ServiceDoor, stages: readonly Stage[]): Promise<string[]> {
  const guildIds = stages.flatMap(({ confirmed }) => confirmed.guilds.map(({ guildId }) => guildId));
  const end = performance.now() + settledWithinMs;
  for (let round = 0; ; round += 1) {
    await service.runStanding({ daily: round === 0 });
    const owed = await untilNothingIsPending(service, guildIds);
    if ((owed.length === 0 && round > 0) || performance.now() > end) return owed;
    for (const stage of stages) for (const guild of stage.confirmed.guilds) await confirmRemovals(stage, guild);
    if (owed.length > 0) await service.pass((round + 1) % roundsARetry === 0 ? retrySeconds : graceSeconds);
  }
}

/** Waits for running work, some seconds at most; returns the pending work that waits for time to pass. */
async function untilNothingIsPending(service: ServiceDoor, guildIds: readonly string[]): Promise<string[]> {
  let [owed, same] = [[] as string[], 0];
  for (let times = 0; times < looks && same < looksAtRest; times += 1) {
    const now = (await service.isIdle(guildIds)) ? await service.owed() : ['something runs'];
    if (now.length === 0) return now;
    const isAtRest = now.join() === owed.join() && now.join() !== 'something runs';
    [owed, same] = [now, isAtRest ? same + 1 : 0];
    await delay(pollEveryMs);
  }
  return owed;
}

/** Asks the service for the accounts for which no answer came when they were changed. */
export async function askWhatIsUncertain({ service, confirmed, people }: Stage): Promise<void> {
  const everybody = [...people, ...confirmed.guilds.map(({ owner }) => owner)];
  for (const person of everybody.filter(({ id }) => confirmed.uncertain.has(id))) {
    const { status, body } = await service.ask(person, 'GET', '/api/auth/me');
    if (status !== 200) continue;
    confirmed.uncertain.delete(person.id);
    for (const guild of confirmed.guilds) doubtConsent(guild, person.id);
    const { gameUserId } = body.account ?? {};
    const before = gamesOf(confirmed, person.id);
    await readHeld({ service, confirmed }, person.id);
    const now = gamesOf(confirmed, person.id);
    // Without a proof, a guild's word is shown.
    if (now.length > 0 && now[0] !== gameUserId)
      throw new Error(`The main account ${now[0]} is shown as ${gameUserId}.`);
    if (now.join() === before.join()) continue;
    // The proof's guild is unknown, too.
    for (const { provenHere } of confirmed.guilds) provenHere.delete(person.id);
    confirmed.everLinked.add(person.id);
  }
}

/** Reads what the service has stored, since no request was answered. */
async function readHeld({ service, confirmed }: Pick<Stage, 'service' | 'confirmed'>, id: string): Promise<void> {
  const stored = service.db.collection<{ _id: string; gameUserId: string; mainSince?: Date; linkedAt: Date }>(
    'accounts',
  );
  const ids = placesOf(id);
  const found = await stored.find({ _id: { $in: ids }, gameUserId: { $exists: true } }).toArray();
  const held = found.map(({ gameUserId: game, mainSince, linkedAt }) => ({
    ...{ game, main: Number(mainSince ?? 0), at: Number(linkedAt) },
  }));
  if (held.length > 0) confirmed.accounts.set(id, held);
  else confirmed.accounts.delete(id);
  for (const guild of confirmed.guilds) {
    const where = { guildId: guild.guildId, chatUserId: id };
    const member = await service.db.collection<{ chosenGameUserId?: string }>('members').findOne(where);
    if (member?.chosenGameUserId === undefined) guild.chosen.delete(id);
    else guild.chosen.set(id, member.chosenGameUserId);
  }
}

/** A proof without an answer is consent, too. */
function doubtConsent({ consents, unseen }: ConfirmedGuild, id: string): void {
  const said = consents.get(id);
  consents.set(id, said === 'refused' || said === 'any' ? 'any' : 'open');
  unseen.delete(id);
}
