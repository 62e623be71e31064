import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { kindOf, scriptsOf } from '../model/script.js';
import type { Stage, StageGuild } from '../model/stage.js';
import { chosen, type Step } from '../model/step.js';

/** Steps that are no traffic: they end the process, or move its clock, so that nothing could be measured over an hour. */
const leftOut = ['kill', 'restart', 'loseSession', 'setClock', 'passTime'];
/** What begins a fault; others end it. */
const faults = /^(cutDatabase|dropGateway|roblox|discord)/;

/** A seed's steps, one after the other and without end. */
export function* stepsOf(seed: number): Generator<Step> {
  for (let part = 0; ; part += 1) {
    for (const script of scriptsOf(seed + part, 50)) {
      for (const step of script) if (!leftOut.includes(step.kind)) yield step;
    }
  }
}

/** Does one step, and says whether it is a fault. What a fault keeps from being done is not done. */
export async function take(stage: Stage, step: Step): Promise<boolean> {
  await kindOf(step).act(stage, chosen(stage, step));
  return faults.test(step.kind);
}

/** What reads have got. */
export interface Reads {
  byStatus: Map<number, number>;
}

/** What programs and pages read, in turn. */
const paths = [
  '/members?limit=100',
  '/mappings',
  '/logs',
  '/overview',
  '/roles',
  '/members/counts',
  '/resyncs',
  '/groups',
];

/** A program's reads with a bot token, one at a time; a cut database or a slow answer is no fault in the traffic. */
export async function readOne(
  url: string,
  guild: StageGuild,
  token: string,
  turn: number,
  reads: Reads,
): Promise<void> {
  const path = paths[turn % paths.length] ?? '';
  const status = await fetch(`${url}/api/guilds/${guild.guildId}${path}`, {
    headers: { authorization: `Bot ${token}` },
  }).then(
    async (answer) => {
      await answer.arrayBuffer();
      return answer.status;
    },
    () => 0,
  );
  reads.byStatus.set(status, (reads.byStatus.get(status) ?? 0) + 1);
}

/** A subscriber's server that fails now and then; `taken` counts what it has taken. */
export async function startSubscriber(): Promise<{ url: string; taken: number; failing: boolean; close(): void }> {
  const server = createServer((request, response) => {
    request.resume().once('end', () => {
      if (!subscriber.failing) subscriber.taken += 1;
      response.writeHead(subscriber.failing ? 500 : 204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const subscriber = {
    url: `http://127.0.0.1:${port}/hook`,
    taken: 0,
    failing: false,
    close: () => void server.close(),
  };
  return subscriber;
}
