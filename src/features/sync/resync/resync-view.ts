import { z } from 'zod';
import { storedActor } from '../../../core/actors/actor.js';
import { clock } from '../../../lib/clock.js';
import { snowflake } from '../../../lib/ids.js';
import { shownFields } from '../../../lib/shown-fields.js';
import { planFields, processedOf, resyncObstacle, resyncState, type StoredPlan, stateOf } from '../plan/plan-model.js';

const count = z.int().nonnegative();

/** The body of POST …/resync (RESYNC-4). */
export const resyncBody = z
  .strictObject({
    memberIds: z.array(snowflake).min(1).max(1000).optional(),
    previewId: z.string().optional().describe('Applies this preview, except to members changed since.'),
    confirm: z.string().optional().describe('The id of a resync that waits for an admin to confirm it.'),
    losing: count
      .optional()
      .describe('With `confirm`: the shown number of members losing roles; another number is refused.'),
  })
  .superRefine(({ losing, ...body }, context) => {
    for (const name of ['previewId', 'confirm'] as const) {
      if (body[name] === undefined || Object.keys(body).length === 1) continue;
      context.addIssue({ code: 'custom', path: [name], message: 'must stand alone' });
    }
    if (losing === undefined || body.confirm !== undefined) return;
    context.addIssue({ code: 'custom', path: ['losing'], message: 'belongs beside `confirm`' });
  });

const shown = shownFields(
  planFields
    .extend({ state: resyncState })
    .pick({ _id: true, state: true, createdAt: true, startedAt: true, finishedAt: true, error: true }),
  'jobId',
);

/** A guild's resync, in the API's words (RESYNC-3). */
export const resyncView = shown.view
  .extend({
    scope: z.enum(['whole', 'part']).describe('part: some members, or the result of a preview.'),
    startedBy: storedActor.describe('The person that started it; `system` for a reconciliation.'),
    phase: z.enum(['planning', 'applying']).describe('Comparing members with the rules, or changing them.'),
    total: count.describe('Members to check; an estimate until they are planned.'),
    processed: count.describe('Members that are done with: nothing was to be done, or it is.'),
    changed: count.describe('Members brought in step, including those that a single sync reached first.'),
    failed: count.describe('Members that this resync could not change; their syncs are retried automatically.'),
    blocked: count.describe("Members with a change that the bot can't make."),
    awaitingConfirmation: z
      .strictObject({ losing: count, share: z.number().min(0).max(1) })
      .nullable()
      .describe(
        'More members would lose roles, or have lost them in this run, than the removal limit allows, so an admin must confirm it first. ' +
          'Everything is then read again, and more losses than were confirmed are asked about again.',
      ),
    waitingFor: resyncObstacle.nullable().describe('The missing requirement.'),
    etaSeconds: count.nullable().describe('Seconds until it is probably finished; null while that is not known.'),
  })
  .meta({ id: 'Resync' });

export function viewResync(job: StoredPlan, now: Date = clock.now()): z.input<typeof resyncView> {
  const { kind, actor, phase, planned, applied, changedBefore, awaitingConfirmation, waiting } = job;
  return {
    ...shown.show({ ...job, state: stateOf(job) }),
    scope: kind === 'whole' ? kind : 'part',
    startedBy: { kind: actor.kind, id: actor.id, name: actor.name },
    phase: phase === 'applying' ? 'applying' : 'planning',
    total: totalOf(job),
    processed: processedOf(job),
    changed: applied.changed + changedBefore,
    failed: planned.unknown + applied.failed,
    blocked: planned.blocked + applied.blocked,
    awaitingConfirmation: awaitingConfirmation
      ? { losing: awaitingConfirmation.losing, share: awaitingConfirmation.share }
      : null,
    waitingFor: waiting?.for ?? null,
    etaSeconds: etaSeconds(job, now),
  };
}

function totalOf({ phase, state, planned, estimate }: StoredPlan): number {
  const isCounted = phase !== 'planning' || state === 'completed';
  return isCounted ? planned.members : Math.max(estimate, planned.members);
}

/** The time left, by the pace of this resync's own writes. */
function etaSeconds(job: StoredPlan, now: Date): number | null {
  if (job.state !== 'running' || job.pace === undefined || job.waiting !== undefined) return null;
  const processed = processedOf(job);
  const written = processed - job.pace.processed - (job.pace.unwritten ?? 0);
  if (written <= 0) return null;
  const msEach = (now.getTime() - job.pace.since.getTime()) / written;
  return Math.ceil((msEach * (job.planned.members - processed)) / 1000);
}
