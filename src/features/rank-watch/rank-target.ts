import { config } from '../../config/config.js';
import { type PlanName, plans } from '../../core/plans/plans.js';
import { minuteMs } from '../../lib/time.js';
import { robloxConfig } from '../../platforms/roblox/roblox-config.js';

/** Without a key the older hosts are asked, gently: ranks may get so many times as old (PLAN-2). */
export const keylessFactor = 30;
/** A full reading is made this many targets after the last, where the counts of all groups are watched in between. */
const fullEveryTargets = 4;
/** The roles of a group but the largest are read again after so many targets: people who swap leave the counts alone. */
export const sweepEveryTargets = 2.5;

/** A log that tells is looked at so many times within a target: one call tells of everybody, and people wait for it. */
const logLooksInTarget = 12;

/** Whether there is an Open Cloud key. */
export const hasKey = (): boolean => Boolean(robloxConfig().apiKey);

/** The plan whose target holds in a guild of this plan: where nothing is sold, the best one. */
export const targetPlan = (plan: PlanName): PlanName => (config().stripe === undefined ? 'enterprise' : plan);

/** How old the ranks of a guild's members may get, in milliseconds (PLAN-1). */
export function rankTargetMs(plan: PlanName): number {
  return plans[targetPlan(plan)].rankAgeMinutes * minuteMs * (hasKey() ? 1 : keylessFactor);
}

/**
 * Milliseconds from one look to the next: half of the target, so that a look that has to wait still meets it. People
 * whose groups are all watched by their counts are read in full more seldom.
 */
export function lookEveryMs(targetMs: number, { glanced = false } = {}): number {
  return glanced ? targetMs * fullEveryTargets : targetMs / 2;
}

/**
 * Milliseconds from one look at the log of a group to the next: of a group whose members' ranks may get `targetMs` old,
 * where all logs together can be looked at once in `roundMs`. It is never longer than from one look at the counts to the next.
 */
export function logEveryMs(targetMs: number, roundMs: number): number {
  return Math.min(lookEveryMs(targetMs), Math.max(targetMs / logLooksInTarget, roundMs));
}
