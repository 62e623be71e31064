import { randomInt } from 'node:crypto';
import { openTestDatabase } from '../support/test-database.js';
import { Playhouse } from './play.js';
import { scriptsOf, shrink, tellScript } from './script.js';
import type { Step } from './step.js';

// `npm run test:model`: plays MODEL_RUNS random scripts (5,000) of the seed MODEL_SEED (any); exit code 1 when one fails.

const runs = Number(process.env.MODEL_RUNS ?? '5000');
const seed = Number(process.env.MODEL_SEED ?? randomInt(2 ** 31));
const from = Number(process.env.MODEL_FROM ?? '0');
/** So many failures are told in full; the rest is counted. */
const toldInFull = Number(process.env.MODEL_TOLD ?? '5');
const shrinkTries = Number(process.env.MODEL_SHRINKS ?? '60');
const triesAPart = 2;

const say = (text: string) => process.stdout.write(`${text}\n`);

async function failsStill(house: Playhouse, part: readonly Step[]): Promise<boolean> {
  for (let times = 0; times < triesAPart; times += 1) if ((await house.play(part)).length > 0) return true;
  return false;
}

say(`${runs} scripts of seed ${seed}`);
const startedAt = performance.now();
const engine = await openTestDatabase();
const house = new Playhouse(engine.uri);
const failed: number[] = [];
for (const [index, script] of scriptsOf(seed, from + runs).entries()) {
  if (index < from) continue;
  const problems = await house.play(script);
  if (problems.length > 0) {
    failed.push(index);
    say(`\nscript ${index} of seed ${seed} fails:\n- ${problems.join('\n- ')}`);
    if (failed.length <= toldInFull) {
      const part = await shrink(script, (each) => failsStill(house, each), shrinkTries);
      say(`shrunk to ${part.length} steps:\n${tellScript(part)}`);
      say(`- ${(await house.play(part)).join('\n- ')}`);
    }
  }
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  if ((index + 1) % 50 === 0) say(`${index + 1} scripts in ${seconds} s, ${failed.length} failed`);
}
await house.close();
await engine.close();
const seconds = Math.round((performance.now() - startedAt) / 1_000);
say(
  `${runs} scripts of seed ${seed} in ${seconds} s: ${failed.length} failed${failed.length > 0 ? ` (${failed.join()})` : ''}`,
);
process.exit(failed.length > 0 ? 1 : 0);
