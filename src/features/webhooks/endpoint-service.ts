import { isDeepStrictEqual } from 'node:util';
import type { PipelineStage, UpdateQuery } from 'mongoose';
import type { Actor } from '../../core/actors/actor.js';
import { enterLog, type NewEntry } from '../../core/audit/audit-service.js';
import { findGuild, type Guild } from '../../core/guilds/guild-service.js';
import { plans } from '../../core/plans/plans.js';
import { clock } from '../../lib/clock.js';
import type { Page, PageQuery } from '../../lib/cursor.js';
import { anyVersion, entityTagOf, nextUpdate } from '../../lib/entity-tag.js';
import { NotFound, PlanLimitReached, VersionMismatch } from '../../lib/errors.js';
import { newId } from '../../lib/ids.js';
import { withLease } from '../../platforms/database/lease.js';
import type { EventName } from '../../platforms/events/event-types.js';
import { push } from '../../platforms/events/outbox.js';
import { entriesOfChange, entryOfEndpoint, entryOfRotation } from './endpoint-audit.js';
import type { EndpointChange, EndpointDraft } from './endpoint-draft.js';
import { type WebhookEndpoint, WebhookEndpoints } from './endpoint-model.js';
import { newEndpointSecret, rotated } from './endpoint-secrets.js';
import { checkTargetUrl } from './target-guard.js';

export type { WebhookEndpoint } from './endpoint-model.js';

/** An endpoint and its newest secret, which can't be read again. */
export interface EndpointWithSecret {
  endpoint: WebhookEndpoint;
  secret: string;
}

/** A page with a guild's endpoints by id, and so by age to the second. */
export function listEndpoints(guildId: string, query: PageQuery): Promise<Page<WebhookEndpoint>> {
  return WebhookEndpoints.page({ guildId }, query, { field: '_id', hint: { guildId: 1, _id: 1 } });
}

/** The stage that adds a guild's endpoints to other rows, by id. */
export const withEndpointRows = (guildId: string): PipelineStage.UnionWith => ({
  $unionWith: {
    coll: WebhookEndpoints.acrossGuilds.collection.name,
    pipeline: [{ $match: { guildId } }, { $sort: { guildId: 1, _id: 1 } }],
  },
});

/** Throws NotFound `webhook_not_found`. */
export async function getEndpoint(guildId: string, webhookId: string): Promise<WebhookEndpoint> {
  const endpoint = await WebhookEndpoints.findOne({ _id: webhookId, guildId });
  if (endpoint === null) throw endpointNotFound();
  return endpoint;
}

/**
 * A guild's endpoints that get events: the enabled ones, oldest first, up to the plan's limit. The others are paused,
 * and nothing is kept for them.
 */
export async function deliverableEndpoints({ _id: guildId, plan }: Guild): Promise<WebhookEndpoint[]> {
  const limit = plans[plan].webhookEndpoints;
  return limit === 0 ? [] : WebhookEndpoints.find({ guildId, enabled: true }, { sort: { _id: 1 }, limit });
}

/** A guild's endpoints that deliver, given all sorted by age. Pure. */
export function deliverableOf({ plan }: Pick<Guild, 'plan'>, endpoints: readonly WebhookEndpoint[]): WebhookEndpoint[] {
  return endpoints.filter(({ enabled }) => enabled).slice(0, plans[plan].webhookEndpoints);
}

/** The endpoints that get a guild's event, even if the bot has left it since. */
export async function subscribedEndpoints(guildId: string, event: EventName): Promise<WebhookEndpoint[]> {
  const guild = await findGuild(guildId);
  const endpoints = guild === null ? [] : await deliverableEndpoints(guild);
  return endpoints.filter(({ events }) => events.includes(event));
}

/** Additions and changes to a guild's endpoints run one after the other. Throws Conflict `busy`. */
function withEndpointsLease<T>(guildId: string, work: () => Promise<T>): Promise<T> {
  return withLease(`webhooks:${guildId}`, work);
}

/** Registers an endpoint. Throws InvalidRequest for a target that is not allowed, PlanLimitReached. */
export async function createEndpoint(guild: Guild, actor: Actor, draft: EndpointDraft): Promise<EndpointWithSecret> {
  const url = checkTargetUrl(draft.url);
  const now = clock.now();
  const _id = newId('whk', now);
  const { secret, stored } = await newEndpointSecret(_id, now);
  const made = { ...draft, url, secrets: [stored], createdAt: now, updatedAt: now };
  const endpoint: WebhookEndpoint = { _id, guildId: guild._id, ...made };
  const entry = entryOfEndpoint(actor, 'webhook.created', endpoint);
  await withEndpointsLease(guild._id, async () => {
    await requireRoom(guild);
    await WebhookEndpoints.insert({ ...endpoint, outbox: [entry] });
  });
  await enterLog(entry);
  return { endpoint, secret };
}

async function requireRoom(guild: Guild): Promise<void> {
  requireWebhooks(guild);
  const { _id: guildId, plan } = guild;
  const limit = plans[plan].webhookEndpoints;
  if ((await WebhookEndpoints.count({ guildId })) < limit) return;
  const message = `The plan ${plan} allows ${limit} webhook endpoints. Remove one, or take a larger plan.`;
  throw new PlanLimitReached(message, { resource: 'webhookEndpoints', limit, plan });
}

/** Throws PlanLimitReached where the plan has no webhooks (PLAN-3). */
export function requireWebhooks({ plan }: Guild): void {
  const limit = plans[plan].webhookEndpoints;
  if (limit > 0) return;
  const message = `The plan ${plan} has no webhooks; the plans pro and enterprise have.`;
  throw new PlanLimitReached(message, { resource: 'webhookEndpoints', limit, plan });
}

/**
 * Changes the given fields, if `onlyIf` allows it by the endpoint's entity tag. An endpoint that is turned on, or gets another URL, starts without its failures. Throws
 * InvalidRequest for a target that is not allowed, NotFound `webhook_not_found`, VersionMismatch.
 */
export function changeEndpoint(
  { _id: guildId }: Guild,
  actor: Actor,
  webhookId: string,
  change: EndpointChange,
  onlyIf = anyVersion,
): Promise<WebhookEndpoint> {
  const checkedUrl = change.url === undefined ? undefined : checkTargetUrl(change.url);
  return withEndpointsLease(guildId, async () => {
    const before = await getEndpoint(guildId, webhookId);
    if (!onlyIf(entityTagOf(before))) throw new VersionMismatch();
    const { events = before.events, description = before.description, enabled = before.enabled } = change;
    const wished = { url: checkedUrl ?? before.url, events, description, enabled };
    const wish: WebhookEndpoint = { ...before, ...wished };
    if (isDeepStrictEqual(wish, before)) return before;
    const turnedOn = wish.enabled && !before.enabled;
    const { disabledReason, ...on } = wish;
    const entries = entriesOfChange(actor, before, turnedOn ? on : wish);
    return update(before, entries, {
      $set: wished,
      $unset: {
        ...(turnedOn && { disabledReason: 1 }),
        ...((turnedOn || wish.url !== before.url) && { failingSince: 1 }),
      },
    });
  });
}

/**
 * Removes an endpoint and its undelivered deliveries, if `onlyIf` allows it by its entity tag. Throws NotFound
 * `webhook_not_found`, VersionMismatch.
 */
export async function removeEndpoint(
  { _id: guildId }: Guild,
  actor: Actor,
  webhookId: string,
  onlyIf = anyVersion,
): Promise<void> {
  for (let isRemoved = false; !isRemoved; ) {
    const endpoint = await getEndpoint(guildId, webhookId);
    if (!onlyIf(entityTagOf(endpoint))) throw new VersionMismatch();
    const entry = entryOfEndpoint(actor, 'webhook.removed', endpoint);
    // Only as it was read, since the log entry describes that state.
    const asRead = { _id: webhookId, guildId, updatedAt: endpoint.updatedAt };
    isRemoved = (await WebhookEndpoints.remove(asRead, entry)) !== null;
    if (isRemoved) await enterLog(entry);
  }
}

/**
 * Gives an endpoint a new secret. The old one also signs for 24 hours, or ends immediately with `immediately`; at most
 * three sign. Throws NotFound `webhook_not_found`.
 */
export async function rotateSecret(
  { _id: guildId }: Guild,
  actor: Actor,
  webhookId: string,
  options: { immediately: boolean },
): Promise<EndpointWithSecret> {
  return withEndpointsLease(guildId, async () => {
    const before = await getEndpoint(guildId, webhookId);
    const now = clock.now();
    const { secret, stored } = await newEndpointSecret(webhookId, now);
    const secrets = rotated(before.secrets, stored, now, options);
    const endpoint = await update(before, [entryOfRotation(actor, before, { secrets })], { $set: { secrets } });
    return { endpoint, secret };
  });
}

/** Changes an endpoint that was just read, with its log entries. It may have been removed since. */
async function update(
  before: WebhookEndpoint,
  entries: readonly NewEntry[],
  change: UpdateQuery<WebhookEndpoint>,
): Promise<WebhookEndpoint> {
  const { _id, guildId } = before;
  const dated = { ...change, $set: { ...change.$set, updatedAt: nextUpdate(before) }, ...push(...entries) };
  const after = await WebhookEndpoints.update({ _id, guildId }, dated);
  if (after === null) throw endpointNotFound();
  await enterLog(...entries);
  return after;
}

const endpointNotFound = (): NotFound => new NotFound('webhook_not_found', 'There is no such webhook in this server.');
