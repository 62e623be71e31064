import { setTimeout as delay } from 'node:timers/promises';
import type { Delivery } from '../../src/features/webhooks/delivery-model.js';
import { eventName } from '../../src/platforms/events/event-types.js';
import { answer, type Receiver } from '../features/webhooks/receiver.js';
import { followFacts } from '../model/fact-steps.js';
import { faultSteps } from '../model/fault-steps.js';
import { setSuspended } from '../model/guild-steps.js';
import { askWhatIsUncertain } from '../model/play.js';
import { kindOf, scriptsOf } from '../model/script.js';
import type { Stage } from '../model/stage.js';
import { chosen, type Step } from '../model/step.js';
import { Watch } from '../model/watch.js';
import type { Dice } from '../sandbox/other-bot.js';
import type { TwoServices } from './two-services.js';

/** Faults are the model's to test. What ends for good would leave an hour without ranks or roles. */
const leftOut = new Set([...Object.keys(faultSteps), 'removeGroup', 'deleteRole', 'erase']);

/** A seed's steps, one after the other and without end. */
export function* stepsOf(seed: number): Generator<Step> {
  for (let part = 0; ; part += 1) {
    for (const script of scriptsOf(seed * 1_000 + part, 50)) {
      for (const step of script) if (step.kind === 'dropGateway' || !leftOut.has(step.kind)) yield step;
    }
  }
}

/** Plays steps on a stage, and watches each change of the bot there. Gives the faults that it saw, in words. */
export async function playStage(
  stage: Stage,
  steps: Generator<Step>,
  wish: { everyMs: number; isOver: () => boolean; count: (kind: string) => void },
): Promise<string[]> {
  const watch = new Watch(stage);
  const problems: string[] = [];
  watch.look();
  for (const step of steps) {
    if (wish.isOver()) break;
    try {
      await watch.judge();
      if (stage.ranksMove) watch.look();
      await kindOf(step).act(stage, chosen(stage, step));
      wish.count(step.kind);
      if (stage.unawaited.length > 20) await Promise.allSettled(stage.unawaited.splice(0));
      if (stage.confirmed.uncertain.size > 0 && (await areProofsOver(stage))) await askWhatIsUncertain(stage);
    } catch (error) {
      problems.push(`${step.kind}: ${error instanceof Error ? error.message : String(error)}`);
    }
    followFacts(stage);
    watch.look();
    await delay(wish.everyMs);
  }
  await Promise.allSettled(stage.unawaited);
  await watch.judge();
  return [...problems, ...watch.problems, ...stage.problems];
}

/** Ends the suspensions that steps have left: a suspended guild's events are held, and not lost (HOOK-25). */
export async function unsuspendAll(stages: readonly Stage[]): Promise<void> {
  for (const stage of stages) {
    for (const guild of stage.confirmed.guilds) {
      const suspended = { _id: guild.guildId, state: 'suspended' };
      const stored = await stage.service.db.collection<{ _id: string; state: string }>('guilds').findOne(suspended);
      if (stored !== null) await setSuspended(stage, guild, false);
      if (guild.suspended) throw new Error(`${guild.guildId} stays suspended.`);
    }
  }
}

/** Whether a kill has left no proof and no change of an account half done. */
async function areProofsOver({ service: { db } }: Stage): Promise<boolean> {
  const proofs = await db.collection('verification_sessions').countDocuments({ 'proof.until': { $exists: true } });
  return proofs + (await db.collection('accounts').countDocuments({ unsettled: { $exists: true } })) === 0;
}

/** The stages' and stations' subscriber: it fails for a while now and then, and counts what it has taken by its id. */
export class Subscriber {
  /** By delivery: its event, and how often it was taken. */
  readonly taken = new Map<string, { eventId: string; times: number }>();
  isFailing = false;

  constructor(private readonly receiver: Receiver) {
    receiver.behave((response, received) => {
      const { headers } = received;
      receiver.received.length = 0;
      if (!this.isFailing) {
        const id = String(headers['x-link-delivery']);
        const seen = this.taken.get(id) ?? { eventId: String(headers['webhook-id']), times: 0 };
        this.taken.set(id, { ...seen, times: seen.times + 1 });
      }
      return answer(this.isFailing ? 500 : 204)(response, received);
    });
  }

  async subscribe(service: TwoServices, owner: { id: string; username: string }, guildId: string): Promise<void> {
    const wish = { url: this.receiver.url, events: eventName.options };
    const { status, body } = await service.ask(owner, 'POST', `/api/guilds/${guildId}/webhooks`, wish);
    if (status !== 201) throw new Error(`No endpoint: ${status} ${JSON.stringify(body)}`);
  }

  /** Compares what was taken with what is stored: a repetition needs an attempt that a kill has cut. */
  async judge(service: TwoServices) {
    const stored = await service.db.collection<Delivery>('deliveries').find().toArray();
    const lost = stored.filter(({ _id, state }) => state !== 'succeeded' || !this.taken.has(_id));
    const cuts = ({ attempts }: Delivery) => attempts.filter(({ outcome }) => outcome === 'interrupted').length;
    const times = ({ _id }: Delivery) => this.taken.get(_id)?.times ?? 0;
    const events = new Set([...this.taken.values()].map(({ eventId }) => eventId));
    return {
      deliveries: this.taken.size,
      lost: lost.length,
      firstLost: lost[0],
      cut: stored.reduce((sum, delivery) => sum + cuts(delivery), 0),
      afterCut: stored.filter((delivery) => times(delivery) > 1).length,
      twice: stored.filter((delivery) => times(delivery) > 1 + cuts(delivery)).length + (this.taken.size - events.size),
    };
  }
}

export interface Kill {
  process: number;
  at: number;
  readyMs: number;
  /** When the next life was ready. */
  readyAt: number;
}

/**
 * Kills either process at random, and starts it again within seconds. In the last two fifths of the time the first one
 * is spared, so that its memory shows a long life.
 */
export async function killAtRandom(
  services: TwoServices,
  dice: Dice,
  wish: { begun: number; end: number; kills: Kill[] },
): Promise<void> {
  const { begun, end, kills } = wish;
  for (;;) {
    const isLate = Date.now() - begun > 0.6 * (end - begun);
    const waitMs = (isLate ? 40_000 : 15_000) + dice() * (isLate ? 120_000 : 75_000);
    if (Date.now() + waitMs > end) return;
    await delay(waitMs);
    const process = isLate || dice() < 0.5 ? 1 : 0;
    const victim = services.both[process] ?? services.both[0];
    const at = Date.now();
    await services.killOne(victim);
    await delay(dice() * 4_000);
    const startedAt = Date.now();
    await services.startOne(victim);
    kills.push({ process, at, readyMs: Date.now() - startedAt, readyAt: Date.now() });
  }
}

/** What a script's people would wait an hour for, and what a dead process's leases keep the watch from seeing. */
export async function tidy({ db }: TwoServices): Promise<void> {
  const back = [{ $set: { createdAt: { $subtract: ['$createdAt', 3_600_000] } } }];
  const old = { createdAt: { $gt: new Date(Date.now() - 3_600_000), $lt: new Date(Date.now() - 60_000) } };
  await db.collection('verification_sessions').updateMany(old, back);
  const free = { until: { $lt: new Date(Date.now() - 60_000) } };
  await db.collection('leases').updateMany(free, { $set: { owner: '' } });
}
