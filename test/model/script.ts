import fc from 'fast-check';
import { factSteps } from './fact-steps.js';
import { faultSteps } from './fault-steps.js';
import { guildSteps } from './guild-steps.js';
import { peopleSteps } from './people-steps.js';
import { rankSteps } from './rank-steps.js';
import type { Step, StepKind } from './step.js';
import { wordSteps } from './word-steps.js';

const undisturbed = { ...peopleSteps, ...rankSteps, ...guildSteps, ...wordSteps, ...factSteps };
const kinds: Readonly<Record<string, StepKind>> = { ...undisturbed, ...faultSteps };

const stepsAScript = 40;

function scriptOf(some: Readonly<Record<string, StepKind>>): fc.Arbitrary<Step[]> {
  const byWeight = Object.entries(some).map(([kind, { weight }]) => ({
    weight: Math.round(weight * 10),
    arbitrary: fc.constant(kind),
  }));
  const step = fc.record({
    kind: fc.oneof(...byWeight),
    guild: fc.nat({ max: 1 }),
    person: fc.nat({ max: 4 }),
    role: fc.nat({ max: 3 }),
    group: fc.nat({ max: 1 }),
    value: fc.nat({ max: 255 }),
    pauseMs: fc.oneof(fc.constant(0), fc.constant(0), fc.nat({ max: 40 })),
  });
  return fc.array(step, { minLength: stepsAScript, maxLength: stepsAScript });
}

const script = scriptOf(kinds);
const scriptWithoutFaults = scriptOf(undisturbed);

/** A seed's scripts, always the same. */
export const scriptsOf = (seed: number, count: number): Step[][] => fc.sample(script, { seed, numRuns: count });

/**
 * `count` times `size` scripts that are to be played at the same time, always the same for a seed and size. A service
 * has its faults for everybody: those of the first script are, as the same steps, at the same places in the others.
 */
export function ensemblesOf(seed: number, count: number, size: number): Step[][][] {
  const others = fc.sample(scriptWithoutFaults, { seed, numRuns: count * (size - 1) });
  return scriptsOf(seed, count).map((first, index) => [
    first,
    ...others
      .slice(index * (size - 1), (index + 1) * (size - 1))
      .map((other) => other.map((own, place) => faultAt(first, place) ?? own)),
  ]);
}

function faultAt(steps: readonly Step[], place: number): Step | undefined {
  const found = steps[place];
  return found !== undefined && Object.hasOwn(faultSteps, found.kind) ? found : undefined;
}

export function kindOf({ kind }: Step): StepKind {
  const found = kinds[kind];
  if (found === undefined) throw new Error(`There is no step ${kind}.`);
  return found;
}

/** A script in words, one step a line. */
export function tellScript(steps: readonly Step[]): string {
  return steps.map((each, index) => `${String(index + 1).padStart(2)}. ${tellStep(each)}`).join('\n');
}

function tellStep(each: Step): string {
  const names = {
    guild: ['Red', 'Blue'][each.guild] ?? '',
    person: ['Ann', 'Ben', 'Cleo', 'Dan', 'Eve'][each.person] ?? '',
    role: `role ${each.role + 1}`,
    group: ['the Army', 'the Navy'][each.group] ?? '',
    value: each.value,
  };
  return kindOf(each).tell(names) + (each.pauseMs > 0 ? ` (${each.pauseMs} ms)` : '');
}

/** The shortest part of a failing script that was found to fail still; `fails` is asked at most `tries` times. */
export async function shrink(
  steps: readonly Step[],
  fails: (part: readonly Step[]) => Promise<boolean>,
  tries: number,
): Promise<readonly Step[]> {
  let shortest = steps;
  let left = tries;
  for (let size = Math.ceil(steps.length / 2); size >= 1 && left > 0; size = Math.floor(size / 2)) {
    for (let at = 0; at < shortest.length && left > 0; ) {
      const part = [...shortest.slice(0, at), ...shortest.slice(at + size)];
      left -= 1;
      if (part.length < shortest.length && (await fails(part))) shortest = part;
      else at += size;
    }
  }
  return shortest;
}
