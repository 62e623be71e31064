import { type PlanName, planName } from '../../core/plans/plans.js';
import type { SubscriptionStatus } from './provider-subscription.js';

/** The subscription parts that decide a plan. */
interface PlanSource {
  status: SubscriptionStatus;
  plan: PlanName;
  currentPeriodEnd: Date;
}

/** With `past_due` a payment is late, Stripe still tries to get it, and the plan stays. */
const inForce: readonly SubscriptionStatus[] = ['trialing', 'active', 'past_due'];
/** A subscription never leaves these states. */
const over: readonly SubscriptionStatus[] = ['canceled', 'incomplete_expired'];

/** Whether a subscription can never give a plan again. */
export const isOver = ({ status }: Pick<PlanSource, 'status'>): boolean => over.includes(status);

/** Whether a subscription gives its plan now. */
export const isInForce = ({ status }: Pick<PlanSource, 'status'>): boolean => inForce.includes(status);

export const isHigher = (plan: PlanName, than: PlanName): boolean =>
  planName.options.indexOf(plan) > planName.options.indexOf(than);

/**
 * The plan in force from subscriptions (PLAN-13): the highest paid one, or `defaultPlan` if that is higher or none is
 * paid. Two simultaneous checkouts make two subscriptions; the higher one counts. Pure.
 */
export function planInForce(subscriptions: readonly PlanSource[], defaultPlan: PlanName): PlanName {
  const plans = subscriptions.filter(isInForce).map(({ plan }) => plan);
  return plans.reduce((highest, plan) => (isHigher(plan, highest) ? plan : highest), defaultPlan);
}

/** The subscription to show: the one that decides the plan, otherwise the one that ends or ended last. Pure. */
export function decidingSubscription<S extends PlanSource>(subscriptions: readonly S[]): S | undefined {
  return [...subscriptions].sort(
    (a, b) =>
      Number(isInForce(b)) - Number(isInForce(a)) ||
      Number(isOver(a)) - Number(isOver(b)) ||
      planName.options.indexOf(b.plan) - planName.options.indexOf(a.plan) ||
      b.currentPeriodEnd.getTime() - a.currentPeriodEnd.getTime(),
  )[0];
}
