import { setTimeout as delay } from 'node:timers/promises';
import { startDiscordSandbox } from '../sandbox/discord/discord-sandbox.js';
import { startRobloxSandbox } from '../sandbox/roblox/roblox-sandbox.js';
import { ModelService } from './model-service.js';
import type { Platforms } from './oracle.js';
import { kindOf } from './script.js';
import { buildStage, type Stage, strikeStage } from './stage.js';
import { chosen, type Step } from './step.js';
import type { ToldGuild } from './told.js';
import { differences, Watch } from './watch.js';

/** Discord lets a bot identify 1,000 times a day: after so many scripts both sandboxes and the service are new ones. */
const scriptsAHouse = 60;
/** A day and a little: the time of one catch-up. */
const catchUpSeconds = 25 * 3_600;
/** What has just been owed waits for seconds, what has failed often for up to an hour: now and then that much passes. */
const [graceSeconds, retrySeconds, roundsARetry] = [60, 3_600, 8];
const settledWithinMs = 120_000;

let dbSerial = 0;

/** Plays scripts, one after the other, on one engine. */
export class Playhouse {
  #house: (Platforms & { service: ModelService }) | undefined;
  #played = 0;

  constructor(private readonly engineUri: string) {}

  /** Plays a script to its end; what went wrong, in words. */
  async play(steps: readonly Step[]): Promise<string[]> {
    if (this.#played >= scriptsAHouse) await this.close();
    const house = await this.#open();
    this.#played += 1;
    let problems: string[];
    try {
      const stage = await buildStage(house, house.service);
      problems = await playOn(stage, steps);
      await strikeStage(stage);
    } catch (error) {
      problems = [`the harness: ${error instanceof Error ? error.stack : String(error)}`];
    }
    // Whatever is wrong shall not be so for the next.
    if (problems.length > 0) await this.close();
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

async function playOn(stage: Stage, steps: readonly Step[]): Promise<string[]> {
  const watch = new Watch(stage);
  watch.look();
  for (const step of steps) {
    await watch.judge();
    await kindOf(step).act(stage, chosen(stage, step));
    watch.look();
    if (step.pauseMs > 0) await delay(step.pauseMs);
  }
  const left = await settle(stage);
  await watch.judge();
  return [...watch.problems, ...left];
}

/** The faults end, and a day passes; in what people are out of step then, or what the service still owes. */
export async function settle(stage: Stage): Promise<string[]> {
  const { discord, roblox, service, unawaited } = stage;
  roblox.clearFaults();
  discord.clearFaults();
  service.mendDatabase();
  if (!service.isRunning) await service.start();
  await discord.ready();
  await service.connected();
  await Promise.allSettled(unawaited);
  await askWhatIsUncertain(stage);
  await untilDone(service);
  await service.pass(catchUpSeconds);
  const left = await untilDone(service);
  return [...(left.length > 0 ? [`not done: ${left.join(', ')}`] : []), ...differences(stage)];
}

/** Lets the service do what it has to do, and time pass for what waits; what is left to do after a while. */
async function untilDone(service: ModelService): Promise<string[]> {
  const end = performance.now() + settledWithinMs;
  for (let round = 0; ; round += 1) {
    await service.runStanding();
    const owed = await untilNothingIsOwed(service);
    if ((owed.length === 0 && round > 0) || performance.now() > end) return owed;
    if (owed.length > 0) await service.pass((round + 1) % roundsARetry === 0 ? retrySeconds : graceSeconds);
  }
}

/** Waits a second for what is going on; what is owed then. */
async function untilNothingIsOwed(service: ModelService): Promise<string[]> {
  for (let times = 0; ; times += 1) {
    const owed = (await service.isIdle()) ? await service.owed() : ['something runs'];
    if (owed.length === 0 || times === 100) return owed;
    await delay(10);
  }
}

/** Asks the service for the accounts of which no answer came when they were changed. */
export async function askWhatIsUncertain({ service, told, people }: Stage): Promise<void> {
  for (const person of people.filter(({ id }) => told.uncertain.has(id))) {
    const { status, body } = await service.ask(person, 'GET', '/api/auth/me');
    if (status !== 200) continue;
    told.uncertain.delete(person.id);
    for (const guild of told.guilds) doubtConsent(guild, person.id);
    const { gameUserId } = body.account ?? {};
    if (gameUserId === told.accounts.get(person.id)) continue;
    // In which guild it was proved, nobody knows either.
    for (const { provenHere } of told.guilds) provenHere.delete(person.id);
    if (gameUserId === undefined) told.accounts.delete(person.id);
    else told.accounts.set(person.id, gameUserId);
    told.everLinked.add(person.id);
  }
}

/** A proof that nobody knows of is consent too. */
function doubtConsent({ consents, unseen }: ToldGuild, id: string): void {
  const said = consents.get(id);
  consents.set(id, said === 'refused' || said === 'any' ? 'any' : 'open');
  unseen.delete(id);
}
