import { z } from 'zod';

/** The steps by which a server comes from another bot, in their order. */
export const moveStep = z.enum(['observe', 'people', 'rules', 'compare', 'live', 'stop']);
export type MoveStep = z.output<typeof moveStep>;

/** An admin may pass over these steps: a server may bring no people along, and mean its differences. */
export const passedStep = moveStep.extract(['people', 'compare']);
export type PassedStep = z.output<typeof passedStep>;

/** The facts behind each step's state. */
export interface MoveFacts {
  observes: boolean;
  /** Whether an import within a month brought people, and was not undone. */
  hasPeople: boolean;
  mappings: number;
  /** Whether a whole resync has compared everybody since people or rules last changed. */
  isCompared: boolean;
  differing: number;
  /** The bots of Roblox roles with a permission to give them. */
  otherBots: readonly string[];
  passed: readonly PassedStep[];
}

export interface StepState {
  step: MoveStep;
  state: 'done' | 'now' | 'later';
}

/**
 * Each step's state, from the facts: the first that is not done is the present one (OBS-94). A server that gives roles
 * by its rules is past the comparison. Pure.
 */
export function moveSteps(facts: MoveFacts): StepState[] {
  const { observes, hasPeople, mappings, isCompared, differing, otherBots, passed } = facts;
  const isLive = !observes && mappings > 0;
  const isDone: Readonly<Record<MoveStep, boolean>> = {
    observe: observes || isLive,
    people: hasPeople || isLive || passed.includes('people'),
    rules: mappings > 0,
    compare: isLive || (isCompared && (differing === 0 || passed.includes('compare'))),
    live: isLive,
    stop: isLive && otherBots.length === 0,
  };
  const present = moveStep.options.find((step) => !isDone[step]);
  return moveStep.options.map((step) => ({
    step,
    state: isDone[step] ? 'done' : step === present ? 'now' : 'later',
  }));
}
