import { type DeliveryFilter, deliverySpans } from '../../api/webhook-queries.js';
import { deliveryStates, events } from './webhook-words.js';

/** Reads an endpoint's delivery filters from an address; invalid ones are left out. */
export function deliverySearch(search: Record<string, unknown>): DeliveryFilter {
  const state = deliveryStates.find((each) => each === search.state);
  const event = events.find((each) => each === search.event);
  const within = deliverySpans.find((each) => each === search.within);
  return { ...(state && { state }), ...(event && { event }), ...(within && { within }) };
}
