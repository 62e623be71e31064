import { randomInt } from 'node:crypto';
import { openTestDatabase } from '../support/test-database.js';
import { Playhouse } from './play.js';
import { ensemblesOf, shrink, tellScript } from './script.js';
import type { Step } from './step.js';

// `npm run test:model`: plays MODEL_RUNS random scripts (5,000) from the seed MODEL_SEED (any), MODEL_TOGETHER (10) at
// the same time; exit code 1 when one fails. MODEL_FROM: without those that would have been played before.

const runs = Number(process.env.MODEL_RUNS ?? '5000');
const seed = Number(process.env.MODEL_SEED ?? randomInt(2 ** 31));
const from = Number(process.env.MODEL_FROM ?? '0');
/** Maximum failures that are printed in full; the rest is counted. */
const toldInFull = Number(process.env.MODEL_TOLD ?? '5');
const shrinkTries = Number(process.env.MODEL_SHRINKS ?? '60');
const together = Number(process.env.MODEL_TOGETHER ?? '10');
const triesAPart = 2;

const say = (text: string) => process.stdout.write(`${text}\n`);

async function failsStill(house: Playhouse, part: readonly Step[]): Promise<boolean> {
  for (let times = 0; times < triesAPart; times += 1) if ((await house.play(part)).length > 0) return true;
  return false;
}

/** The script part that fails alone too; or the whole script, if it failed only together with others. */
async function tellInFull(script: readonly Step[]): Promise<void> {
  if (shrinkTries > 0 && (await failsStill(house, script))) {
    const part = await shrink(script, (each) => failsStill(house, each), shrinkTries);
    say(`shrunk to ${part.length} steps:\n${tellScript(part)}`);
    say(`- ${(await house.play(part)).join('\n- ')}`);
  } else {
    const seen = shrinkTries > 0 ? 'by itself it was not seen to fail' : 'not tried by itself';
    say(`${seen}:\n${tellScript(script)}`);
  }
}

say(`${runs} scripts of seed ${seed}, ${together} at the same time`);
const startedAt = performance.now();
const engine = await openTestDatabase();
const house = new Playhouse(engine.uri);
const failed: number[] = [];
for (const [at, ensemble] of ensemblesOf(seed, Math.ceil((from + runs) / together), together).entries()) {
  const [begin, end] = [at * together, Math.min((at + 1) * together, from + runs)];
  if (begin < from) continue;
  const scripts = ensemble.slice(0, end - begin);
  for (const [place, problems] of (await house.playTogether(scripts)).entries()) {
    if (problems.length === 0) continue;
    failed.push(begin + place);
    say(`\nscript ${begin + place} of seed ${seed} fails:\n- ${problems.join('\n- ')}`);
    if (failed.length <= toldInFull) await tellInFull(scripts[place] ?? []);
  }
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  if (end % Math.max(50, together) < together) say(`${end} scripts in ${seconds} s, ${failed.length} failed`);
}
await house.close();
await engine.close();
const seconds = Math.round((performance.now() - startedAt) / 1_000);
say(
  `${runs} scripts of seed ${seed} in ${seconds} s: ${failed.length} failed${failed.length > 0 ? ` (${failed.join()})` : ''}`,
);
process.exit(failed.length > 0 ? 1 : 0);
