import { type PlanName, planName } from '../../core/plans/plans.js';
import type { SubscriptionStatus } from './provider-subscription.js';

/** A subscription as far as it decides a plan. */
interface PlanSource {
  status: SubscriptionStatus;
  plan: PlanName;
  currentPeriodEnd: Date;
}

/** While a payment is late (`past_due`) Stripe still tries to get it, and the plan is kept. */
const inForce: readonly SubscriptionStatus[] = ['trialing', 'active', 'past_due'];
/** From these a subscription never comes back. */
const over: readonly SubscriptionStatus[] = ['canceled', 'incomplete_expired'];

/** Whether a subscription can still give a plan, now or later. */
export const isOver = ({ status }: Pick<PlanSource, 'status'>): boolean => over.includes(status);

const isInForce = ({ status }: Pick<PlanSource, 'status'>): boolean => inForce.includes(status);

/** Whether a plan allows more than another. */
export const isHigher = (plan: PlanName, than: PlanName): boolean =>
  planName.options.indexOf(plan) > planName.options.indexOf(than);

/**
 * The plan that subscriptions put in force (SPEC §4): that of the highest one that is paid, or `defaultPlan`, if that is
 * higher or none is. Two checkouts that are paid at once make two subscriptions; the higher one counts. Pure.
 */
export function planInForce(subscriptions: readonly PlanSource[], defaultPlan: PlanName): PlanName {
  const plans = subscriptions.filter(isInForce).map(({ plan }) => plan);
  return plans.reduce((highest, plan) => (isHigher(plan, highest) ? plan : highest), defaultPlan);
}

/** The subscription to show: the one that decides the plan, or else the one that lasts or lasted longest. Pure. */
export function decidingSubscription<S extends PlanSource>(subscriptions: readonly S[]): S | undefined {
  return [...subscriptions].sort(
    (a, b) =>
      Number(isInForce(b)) - Number(isInForce(a)) ||
      Number(isOver(a)) - Number(isOver(b)) ||
      planName.options.indexOf(b.plan) - planName.options.indexOf(a.plan) ||
      b.currentPeriodEnd.getTime() - a.currentPeriodEnd.getTime(),
  )[0];
}
