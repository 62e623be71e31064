import type { AuditEntry } from '../../src/core/audit/audit-model.js';
import { askWhatIsUncertain } from '../model/play.js';
import { differences } from '../model/watch.js';
import { eventually } from '../support/build.js';
import type { CrashHouse, CrashStage } from './crash-house.js';
import { StopLoad } from './stop-load.js';

/** How many answers come before the signal: by turns, so that it comes at other moments under load. */
const answersBefore = [1, 2, 3, 5, 8, 13, 21];

export interface StopFigures {
  stops: number;
  /** The changes that were said to be done. */
  changes: number;
  faults: string[];
}

/** Stops a service under load by SIGTERM this many times, and judges its answers, changes and deliveries. */
export async function playStops(house: CrashHouse, stops: number): Promise<StopFigures> {
  const stage = await house.build();
  await house.calm(stage);
  const load = new StopLoad(stage);
  const faults: string[] = [];
  for (let times = 0; times < stops; times += 1) {
    if (!house.service.isRunning) await house.service.start();
    const enough = load.answers + (answersBefore[times % answersBefore.length] ?? 1);
    // The limit on verifications doesn't matter here.
    await house.service.db.collection('rate_limits').deleteMany({});
    const asking = load.run();
    await eventually(() => load.answers >= enough, 'the load');
    const code = await house.service.terminate();
    await asking;
    // After 10 s it would have ended itself with 1.
    if (code !== 0) faults.push(`stop ${times + 1} ended with ${code}`);
  }
  faults.push(...(await house.settle()), ...(await judge(stage, load)));
  await house.strike(stage);
  return { stops, changes: load.changes.filter(({ status }) => isDone(status)).length, faults };
}

const isDone = (status: number): boolean => status >= 200 && status < 300;

async function judge(stage: CrashStage, load: StopLoad): Promise<string[]> {
  const wrong = [...(await judgeEntries(stage, load)), ...(await judgeTokens(stage, load)), ...judgeDeliveries(stage)];
  for (const [id, account] of load.accounts) {
    const person = stage.people.find((each) => each.id === id);
    if (person === undefined) continue;
    const { body } = await stage.service.ask(person, 'GET', '/api/auth/me');
    const found = body.account?.gameUserId ?? null;
    if (account !== undefined && account !== found) wrong.push(`${person.username} has ${found}, not ${account}`);
    stage.confirmed.uncertain.add(id);
  }
  await askWhatIsUncertain(stage);
  return [...wrong, ...differences(stage)];
}

/** Each answered change has one entry, and each change without an answer at most one. */
async function judgeEntries({ service }: CrashStage, load: StopLoad): Promise<string[]> {
  const wrong: string[] = [];
  for (const { requestId, action, status } of load.changes) {
    const entries = await service.db.collection<AuditEntry>('audit_log').countDocuments({ requestId, action });
    const isRight = isDone(status) ? entries === 1 : status === 0 ? entries <= 1 : entries === 0;
    if (!isRight) wrong.push(`${action}, answered ${status}, has ${entries} entries`);
  }
  return wrong;
}

async function judgeTokens({ service, confirmed }: CrashStage, load: StopLoad): Promise<string[]> {
  const wrong: string[] = [];
  for (const [text, isRevoked] of load.tokens) {
    const headers = { authorization: `Bot ${text}` };
    const { status, body } = await fetch(`${service.url}/api/guilds/${confirmed.guilds[0]?.guildId}`, { headers });
    await body?.cancel();
    if (isRevoked !== undefined && status !== (isRevoked ? 401 : 200)) {
      wrong.push(`a token, ${isRevoked ? '' : 'not '}revoked, is answered ${status}`);
    }
  }
  return wrong;
}

/** An orderly stop sends nothing twice. */
function judgeDeliveries({ receiver }: CrashStage): string[] {
  const ids = receiver.received.map(({ headers }) => String(headers['webhook-id']));
  const twice = ids.length - new Set(ids).size;
  return twice > 0 ? [`${twice} of ${ids.length} events came twice`] : [];
}
