import { z } from 'zod';
import { storedActor } from '../../core/actors/actor.js';
import { clock } from '../../lib/clock.js';
import { importSource } from '../accounts/account-model.js';
import { previewedMemberView, viewPreviewed } from '../sync/preview/preview-view.js';
import type { ImportEffects } from './people-effects.js';
import { importFault, leftAs, type PeopleImport, pairProblem } from './people-import-model.js';
import { msPerPair, type ProposedImport } from './people-import-review.js';
import type { ImportDetails } from './people-import-service.js';
import type { UndoProgress } from './people-import-undo.js';
import { nicknameChoice } from './people-list.js';

const count = z.int().nonnegative();
const moment = z.iso.datetime({ precision: 3 });

/** The pair count for each result. */
const importCounts = z.strictObject({
  done: count,
  imported: count.describe('Members that got an account.'),
  known: count.describe(
    'Members with this account here already, also unlinked ones, or with an account that the server does not see.',
  ),
  unknown: count.describe('Members unknown to the other bot.'),
  contradicting: count.describe('The person has another account, or another person has this one.'),
  refused: count.describe('The person has said that this account is not theirs.'),
  not_in_server: count,
  not_found: count.describe('Roblox has no such account.'),
});

const affected = count.nullable().describe('How many members. Null: not known.');

const importEffectsView = z
  .strictObject({
    state: z
      .enum(['planned', 'planning', 'unknown'])
      .describe('`planning`: send the same dry run again. `unknown`: see `reason`; all counts are null.'),
    reason: z
      .enum(['asked_later', 'roblox_unavailable'])
      .nullable()
      .describe('`asked_later`: the other bot tells the accounts only while the import runs.'),
    gain: affected,
    lose: affected,
    renamed: affected,
    kicked: affected,
    unknown: affected.describe('Members in no other count, since Roblox leaves their result open. Null: not known.'),
    roles: z
      .array(z.strictObject({ roleId: z.string(), gain: count, lose: count }))
      .describe('How many members would gain or lose each role, the most losses first.'),
    people: z.array(previewedMemberView).describe('Up to three members, those who lose something first.'),
  })
  .describe('The effects on members if the import ran now. While the server observes, nobody is changed.')
  .meta({ id: 'PeopleImportEffects' });

function viewEffects(effects: ImportEffects): z.input<typeof importEffectsView> {
  const nothing = { gain: null, lose: null, renamed: null, kicked: null, unknown: null, roles: [], people: [] };
  if (effects.state === 'planning') return { state: 'planning', reason: null, ...nothing };
  if (effects.state === 'unknown') return { ...effects, ...nothing };
  const { people, ...counts } = effects.found;
  return { state: 'planned', reason: null, ...counts, people: people.map(viewPreviewed) };
}

export const viewProposedImport = ({ effects, ...proposed }: ProposedImport): z.input<typeof proposedImportView> => ({
  ...proposed,
  effects: viewEffects(effects),
});

export const proposedImportView = z
  .strictObject({
    source: importSource,
    total: count.describe('Pairs of the list, or unlinked members to ask the other bot about.'),
    new: count.describe(
      'Pairs that would be imported if Roblox knows the account; of another bot the same as `total`.',
    ),
    known: count,
    contradicting: count,
    refused: count,
    not_in_server: count,
    seconds: count.describe('About how long it would take.'),
    effects: importEffectsView,
    observing: z.boolean().describe('Whether the server only observes: then an import changes no member.'),
    otherBots: z.array(z.strictObject({ name: z.string() })).describe('Other bots that may give roles.'),
    reviewKey: z.string().describe('Names exactly this; the request that imports it must carry it.'),
  })
  .meta({ id: 'ProposedPeopleImport' });

/** Why an undo left a person as they were. */
export const leftReason = z.enum(leftAs);

const importUndoView = z
  .strictObject({
    state: z.enum(['running', 'completed']),
    startedBy: storedActor,
    startedAt: moment,
    finishedAt: moment.nullable(),
    undone: count.describe('How many people no longer have the account that the import gave.'),
    left: z
      .array(z.strictObject({ chatUserId: z.string(), gameUserId: z.string(), reason: leftReason }))
      .describe('The first 100 people who stay as they are, and why.'),
  })
  .meta({ id: 'PeopleImportUndo' });

/** A people import, in the API's words. */
export const peopleImportView = z
  .strictObject({
    importId: z.string(),
    source: importSource,
    state: z.enum(['running', 'completed', 'failed', 'cancelled']),
    startedBy: storedActor,
    total: count,
    counts: importCounts,
    etaSeconds: count.nullable().describe('Seconds until it is probably finished; null once it has ended.'),
    fault: importFault.nullable().describe('Why it failed.'),
    problems: z
      .array(z.strictObject({ chatUserId: z.string(), gameUserId: z.string(), problem: pairProblem }))
      .describe('The first 100 pairs that were not imported, and why.'),
    nicknames: nicknameChoice,
    createdAt: moment,
    finishedAt: moment.nullable(),
    undoableUntil: moment.nullable().describe("Null: it can't be undone, or not any more."),
    undo: importUndoView.nullable(),
  })
  .meta({ id: 'PeopleImport' });

export function viewPeopleImport({ found, problems, undo }: ImportDetails): z.input<typeof peopleImportView> {
  const { _id: importId, source, state, actor: startedBy, total, counts, fault = null, createdAt } = found;
  const { finishedAt, undoableUntil, keepsNicknames } = found;
  const left = Math.max(0, total - counts.done);
  const isRunning = found.open === true && found.undo === undefined;
  return {
    ...{ importId, source, state, startedBy, total, counts, fault },
    etaSeconds: isRunning ? Math.ceil((left * msPerPair(source)) / 1_000) : null,
    problems: problems.flatMap(({ chatUserId, gameUserId, problem }) =>
      problem === undefined ? [] : [{ chatUserId, gameUserId, problem }],
    ),
    nicknames: keepsNicknames ? 'keep' : 'set',
    createdAt: createdAt.toISOString(),
    finishedAt: finishedAt?.toISOString() ?? null,
    undoableUntil: isUndoable(found) ? (undoableUntil?.toISOString() ?? null) : null,
    undo: viewUndo(found, undo),
  };
}

/** Whether an import's undo may begin now. */
export const isUndoable = ({ open, undo, undoableUntil }: PeopleImport): boolean =>
  open === undefined && undo === undefined && undoableUntil !== undefined && undoableUntil > clock.now();

function viewUndo({ open, undo }: PeopleImport, progress: UndoProgress | null): z.input<typeof importUndoView> | null {
  if (undo === undefined || progress === null) return null;
  return {
    state: open === true ? 'running' : 'completed',
    startedBy: undo.actor,
    startedAt: undo.startedAt.toISOString(),
    finishedAt: undo.finishedAt?.toISOString() ?? null,
    undone: progress.taken,
    left: progress.left.flatMap(({ chatUserId, gameUserId, undone }) => {
      const reason = leftReason.safeParse(undone).data;
      return reason === undefined ? [] : [{ chatUserId, gameUserId, reason }];
    }),
  };
}
