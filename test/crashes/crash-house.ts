import { setTimeout as delay } from 'node:timers/promises';
import { eventName } from '../../src/platforms/events/event-types.js';
import { answer, type Receiver, startReceiver } from '../features/webhooks/receiver.js';
import { ModelService } from '../model/model-service.js';
import type { Platforms } from '../model/oracle.js';
import { askOwner, buildStage, type Stage, strikeStages } from '../model/stage.js';
import { differences } from '../model/watch.js';
import { startDiscordSandbox } from '../sandbox/discord/discord-sandbox.js';
import { sandboxEnvironment } from '../sandbox/kit/sandbox-environment.js';
import { startRobloxSandbox } from '../sandbox/roblox/roblox-sandbox.js';
import { type StripeSandbox, startStripeSandbox } from '../sandbox/stripe/stripe-sandbox.js';
import { eventually } from '../support/build.js';
import { type Gate, openGate } from './platform-gate.js';
import { Points } from './points.js';
import { tapWrites } from './tap-writes.js';

/** Longer than anything takes on a slow machine. */
const quietWithinMs = 300_000;

/** A time longer than a killed process's claim, and how many such times pass until work counts as lost. */
const [roundSeconds, mostRounds] = [90, 20];
/** The standing jobs that find a killed process's work; the others remove expired data, and count. */
const standing = [
  'catch-up-guilds',
  'settle-rank-changes',
  'retry-syncs',
  'settle-accounts',
  'tell-joiners',
  'complete-rule-changes',
  'settle-verifications',
  'resume-resyncs',
  'resume-people-imports',
  'relay-events',
  'erasures',
  'deliver-webhooks',
];

/** The jobs that deliver, and how often they are woken by hand during a wait. */
const telling = ['relay-events', 'deliver-webhooks', 'erasures'];
const looksAWakeUp = 20;

/** The model's stage, with a receiver for every event and a payment provider. */
export interface CrashStage extends Stage {
  stripe: StripeSandbox;
  receiver: Receiver;
}

/** Stored events and entries in words that are not delivered yet: outboxes first, since they become deliveries. */
export async function untoldIn(db: ModelService['db']): Promise<string[]> {
  const filled: string[] = [];
  for (const { collectionName } of await db.collections()) {
    const kept = { $or: [{ 'outbox.0': { $exists: true } }, { removedAt: { $exists: true } }] };
    const first = await db.collection(collectionName).findOne(kept);
    if (first !== null) filled.push(`${collectionName}: ${JSON.stringify(first)}`);
  }
  const open = await db.collection('deliveries').countDocuments({ state: { $in: ['pending', 'retrying'] } });
  return open > 0 ? [...filled, `${open} deliveries`] : filled;
}

/** A service with everything that it calls behind gates that number the calls. */
export class CrashHouse {
  private constructor(
    readonly points: Points,
    readonly service: ModelService,
    private readonly platforms: Platforms & { stripe: StripeSandbox; receiver: Receiver },
    private readonly gates: Gate[],
    private readonly hookUrl: string,
  ) {}

  static async open(engineUri: string, dbName: string): Promise<CrashHouse> {
    const points = new Points();
    const [discord, roblox, stripe, receiver] = await Promise.all([
      startDiscordSandbox({ rateLimits: false }),
      startRobloxSandbox({ rateLimits: false }),
      startStripeSandbox(),
      startReceiver(),
    ]);
    const origins = {
      Discord: discord.url,
      Roblox: roblox.url,
      Stripe: stripe.url,
      receiver: new URL(receiver.url).origin,
    };
    const gates: Gate[] = [];
    const throughGates: [string, string][] = [];
    for (const [name, origin] of Object.entries(origins)) {
      const gate = await openGate(name, origin, points);
      gates.push(gate);
      throughGates.push([origin, gate.url]);
    }
    const behindGates = (text: string): string =>
      throughGates.reduce((changed, [origin, gate]) => changed.replace(origin, gate), text);
    const service = await ModelService.prepare({ discord, roblox }, engineUri, dbName, {
      tap: tapWrites(points),
      adapt: (usual) => {
        const wish = { ...usual, ...sandboxEnvironment(discord, roblox, stripe) };
        return Object.fromEntries(Object.entries(wish).map(([name, value]) => [name, behindGates(value)]));
      },
    });
    const platforms = { discord, roblox, stripe, receiver };
    return new CrashHouse(points, service, platforms, gates, behindGates(receiver.url));
  }

  /** A quiet stage that delivers every event in its guilds. */
  async build(): Promise<CrashStage> {
    const { service, platforms } = this;
    if (!service.isRunning) await service.start();
    platforms.stripe.events.sendTo(`${service.url}/api/billing/webhook`);
    platforms.stripe.events.hold();
    platforms.receiver.behave(answer(204));
    const stage = { ...(await buildStage(platforms, service, { ranks: true })), ...platforms };
    for (const guild of stage.confirmed.guilds) {
      const { status } = await askOwner(stage, guild, 'POST', '/webhooks', {
        url: this.hookUrl,
        events: eventName.options,
      });
      if (status !== 201) throw new Error(`The endpoint can't be made: ${status}`);
    }
    return stage;
  }

  /** Lets the new stage come to rest, with everybody in step. */
  async calm(stage: CrashStage): Promise<void> {
    await this.#catchUp();
    if (differences(stage).length === 0) return;
    // On a slow machine a guild is reconciled before all its mappings are there; the restart would give their roles.
    const now = new Date(this.service.now.epochMs);
    const due = { $set: { catchUpSince: now, catchUpAt: now } };
    await this.service.db.collection('guilds').updateMany({ present: true }, due);
    await this.#catchUp();
  }

  async #catchUp(): Promise<void> {
    await this.service.pass(roundSeconds);
    await this.#runJobs(['catch-up-guilds']);
    await this.quiet();
  }

  /** Starts the killed process, and lets time pass until all work is done; returns the rest after a while. */
  async settle(): Promise<string[]> {
    const { service } = this;
    if (!service.isRunning) await service.start();
    await this.platforms.discord.ready();
    await service.connected();
    for (let round = 0; round < mostRounds; round += 1) {
      await service.pass(roundSeconds);
      await this.#runJobs(standing);
      if (await this.#isQuietSoon()) return [];
    }
    return [...(await service.owed()), ...(await this.untold())];
  }

  async #runJobs(names: string[]): Promise<void> {
    await this.service.runJobs(names);
  }

  async #isQuietSoon(): Promise<boolean> {
    for (let times = 0; times < 100; times += 1) {
      if (await this.#isQuiet()) return true;
      await delay(20);
    }
    return false;
  }

  /** Waits until nothing is running or waiting to be reported. */
  async quiet(isOver: () => boolean = () => false): Promise<void> {
    let looks = 0;
    const isQuiet = async () => {
      looks += 1;
      // Agenda uses the machine's clock, and the service's clock is ahead of it. So a wake-up may be far off.
      if (looks % looksAWakeUp === 0) await this.#runJobs(telling).catch(() => undefined);
      return isOver() || (await this.#isQuiet());
    };
    await eventually(isQuiet, 'the quiet', quietWithinMs);
  }

  async #isQuiet(): Promise<boolean> {
    const { service } = this;
    if (!(await service.isIdle()) || (await service.owed()).length > 0) return false;
    return (await this.untold()).length === 0;
  }

  untold(): Promise<string[]> {
    return untoldIn(this.service.db);
  }

  async strike(stage: CrashStage): Promise<void> {
    await strikeStages(stage.service, [stage]);
    stage.receiver.received.length = 0;
  }

  async close(): Promise<void> {
    const { discord, roblox, stripe, receiver } = this.platforms;
    await this.service.close();
    for (const gate of this.gates) gate.close();
    await Promise.all([discord.stop(), roblox.stop(), stripe.stop(), receiver.close()]);
  }
}
