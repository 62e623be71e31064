import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startChild, type TestChild } from '../../support/child-process.js';
import { removeFolder } from '../../support/remove-folder.js';
import { type Receiver, startReceiver } from './receiver.js';

/** The deliveries' result by a process that was killed repeatedly. */
export interface KilledDeliveries {
  /** Kills that hit the process at its work. */
  kills: number;
  /** As the database says at the end. */
  delivered: number;
  lost: number;
  repeated: number;
  /** Of those, the ones that were not under way at any kill, or received oftener than that explains. */
  unexplained: number;
  /** Deliveries with repetitions that had another body, event id or delivery id. */
  altered: number;
}

const receivers = 4;
/** Concurrent deliveries to each receiver. */
const atOnce = 4;
const longestLifeMs = 400;

/** Delivers events to four receivers by a process that is killed (kill -9) at random moments, `kills` times. */
export async function killDeliveries(events: number, kills: number): Promise<KilledDeliveries> {
  const dataDir = await mkdtemp(join(tmpdir(), 'rolelink-deliveries-'));
  const servers = await Promise.all(Array.from({ length: receivers }, startReceiver));
  // Slow enough that some requests are always under way, and that the work outlasts the kills.
  const answerMs = Math.max(1, Math.round((kills * longestLifeMs * atOnce) / (events / receivers)));
  for (const server of servers) {
    server.behave(async (response) => {
      await delay(Math.random() * 2 * answerMs);
      response.writeHead(200).end();
    });
  }
  const start = () =>
    startChild(
      'features/webhooks/delivery-child.js',
      dataDir,
      String(events / receivers),
      ...servers.map(({ url }) => url),
    );
  try {
    const left = new Map<string, number>();
    let done = 0;
    let child: TestChild;
    for (;;) {
      child = start();
      const underWay = await child.report('left');
      for (const id of underWay.split(' ').filter(Boolean)) left.set(id, (left.get(id) ?? 0) + 1);
      if (done === kills) break;
      // By turns while it starts and stores, and while it delivers.
      if (done % 2 === 0) await nextRequest(servers, child);
      await delay(Math.random() * longestLifeMs);
      if (isDone(child)) break;
      await child.kill();
      done += 1;
    }
    const delivered = Number(await child.report('delivered'));
    await child.kill();
    return { kills: done, delivered, ...judge(events, servers, left) };
  } finally {
    await Promise.all(servers.map((server) => server.close()));
    await removeFolder(dataDir);
  }
}

/** Waits until something is received, or all is delivered. */
async function nextRequest(servers: readonly Receiver[], child: TestChild): Promise<void> {
  const count = () => servers.reduce((sum, { received }) => sum + received.length, 0);
  const before = count();
  while (count() === before && !isDone(child)) await delay(5);
}

const isDone = ({ reports }: TestChild): boolean => reports.some((report) => report.startsWith('delivered'));

/** Compares the receivers' requests with the deliveries under way at the kills. */
function judge(events: number, servers: readonly Receiver[], left: ReadonlyMap<string, number>) {
  const byPair = new Map<string, { deliveryIds: Set<string>; bodies: Set<string>; times: number }>();
  for (const [index, { received }] of servers.entries()) {
    for (const { headers, body } of received) {
      const text = body.toString();
      const pair = `${index} ${headers['webhook-id']}`;
      const seen = byPair.get(pair) ?? { deliveryIds: new Set(), bodies: new Set(), times: 0 };
      seen.deliveryIds.add(String(headers['x-link-delivery']));
      seen.bodies.add(text);
      seen.times += 1;
      byPair.set(pair, seen);
    }
  }
  const all = [...byPair.values()];
  const repeated = all.filter(({ times }) => times > 1);
  const explained = ({ deliveryIds, times }: (typeof all)[number]) =>
    [...deliveryIds].every((id) => times <= 1 + (left.get(id) ?? 0));
  return {
    lost: events - all.length,
    repeated: repeated.length,
    unexplained: repeated.filter((seen) => !explained(seen)).length,
    altered: all.filter(({ deliveryIds, bodies }) => deliveryIds.size > 1 || bodies.size > 1).length,
  };
}
