import { config } from '../../config/config.js';
import { type PlanName, plans } from '../../core/plans/plans.js';
import { minuteMs } from '../../lib/time.js';
import { robloxConfig } from '../../platforms/roblox/roblox-config.js';

/** The factor by which ranks may be older without a key, to spare the older hosts (PLAN-2). */
export const keylessFactor = 30;
/** Targets between full readings if all groups' counts are polled in between. */
const fullEveryTargets = 4;
/** Targets between full readings over all roles but a group's largest: swaps leave the counts unchanged. */
export const sweepEveryTargets = 2.5;

/** How often a useful log is polled per target. One call covers the whole group, and people wait for it. */
const logPollsPerTarget = 12;

export const hasKey = (): boolean => Boolean(robloxConfig().apiKey);

/** The plan that sets a guild's target: the best one if nothing is sold. */
export const targetPlan = (plan: PlanName): PlanName => (config().stripe === undefined ? 'enterprise' : plan);

/** The maximum age for a guild's member ranks, in milliseconds (PLAN-1). */
export function rankTargetMs(plan: PlanName): number {
  return plans[targetPlan(plan)].rankAgeMinutes * minuteMs * (hasKey() ? 1 : keylessFactor);
}

/**
 * Milliseconds between polls: half the target, so that a delayed poll still meets it. People in groups that are all
 * watched by counts are read in full less often.
 */
export function pollEveryMs(targetMs: number, { glanced = false } = {}): number {
  return glanced ? targetMs * fullEveryTargets : targetMs / 2;
}

/**
 * Milliseconds between polls of a group's log. `targetMs` is the allowed age of its members' ranks; `roundMs` the time
 * to poll all logs once. Never longer than between count polls.
 */
export function logEveryMs(targetMs: number, roundMs: number): number {
  return Math.min(pollEveryMs(targetMs), Math.max(targetMs / logPollsPerTarget, roundMs));
}
