import { z } from 'zod';
import { storedActor } from '../../core/actors/actor.js';
import { author } from '../../core/actors/reach.js';
import { declareDueTime } from '../../platforms/database/due-times.js';
import { GuildModel } from '../../platforms/database/guild-model.js';
import { schemaOf } from '../../platforms/database/schema-of.js';
import { giveOutbox, type WithOutbox } from '../../platforms/events/outbox.js';
import { longestWaitMs } from '../../platforms/link-sources/link-sources.js';
import { importSource } from '../accounts/account-model.js';

const counter = z.int().default(0);

export const pairProblem = z.enum(['contradicting', 'refused', 'not_in_server', 'not_found']);
export type PairProblem = z.output<typeof pairProblem>;

/**
 * An undo's result for one imported person. `proved`: they have verified since. `acted`: they have changed or answered
 * something since. `unlinked`: an admin has unlinked them. `imported_again`: a later import names the same. `above`:
 * beyond its author's reach. `failed`: a platform did not let it within a day.
 */
const undoneAs = z.enum(['undone', 'proved', 'acted', 'unlinked', 'imported_again', 'above', 'failed']);
/** The results for people whom an undo has left as they were. */
export const leftAs = undoneAs.exclude(['undone']).options;

/** Why an import ended before its time. */
export const importFault = z.enum(['key_refused', 'not_understood', 'unavailable', 'bot_removed', 'guild_suspended']);
export type ImportFault = z.output<typeof importFault>;

/**
 * One import that brings people's accounts into a guild. This document decides, for any process that works on it. The
 * process that works on it holds the lease `people-import:<id>` and changes it only while `fence` is that lease's.
 */
export const peopleImportFields = z.strictObject({
  /** `pim_` + 24 hex digits. */
  _id: z.string(),
  guildId: z.string(),
  /** Present until it ends. A guild has one open import. */
  open: z.literal(true).exactOptional(),
  source: importSource,
  state: z.enum(['running', 'completed', 'failed', 'cancelled']),
  actor: storedActor,
  /** Its author's reach when it began. Missing in older versions' imports. */
  voucher: author.exactOptional(),
  /** The other bot's key, sealed for this import; gone when it ends. */
  sealedKey: z.string().exactOptional(),
  /** list: its pairs; else about how many members are asked for. */
  total: z.int(),
  /** The Discord id up to which members are done. */
  after: z.string(),
  counts: z.strictObject({
    done: counter,
    imported: counter,
    known: counter,
    unknown: counter,
    contradicting: counter,
    refused: counter,
    not_in_server: counter,
    not_found: counter,
  }),
  fault: importFault.exactOptional(),
  /** The fence on the current or last process's lease. */
  fence: z.int(),
  createdAt: z.date(),
  /** The time to continue, if the other bot asked to wait. */
  waitsUntil: z.date().exactOptional(),
  /** Answers in a row that asked to wait. */
  waits: z.int().exactOptional(),
  finishedAt: z.date().exactOptional(),
  /** Its people keep their nicknames. */
  keepsNicknames: z.literal(true).exactOptional(),
  /** It said nothing about nicknames: its new people get one, and known ones stay as they were imported. */
  leavesNicknames: z.literal(true).exactOptional(),
  /** Until when it can be undone. Gone with the pairs that it would need. */
  undoableUntil: z.date().exactOptional(),
  /** Its undo, which is under way while the import is open again. */
  undo: z
    .strictObject({
      ...{ actor: storedActor, by: author, startedAt: z.date() },
      finishedAt: z.date().exactOptional(),
      /** How many people it has taken back, once it has ended. */
      taken: z.int().exactOptional(),
    })
    .exactOptional(),
});
export interface PeopleImport extends z.output<typeof peopleImportFields>, WithOutbox {}
export type ImportCounts = PeopleImport['counts'];

const schema = schemaOf<PeopleImport>('people_imports', peopleImportFields);
// One open import per guild; all open ones, to continue them.
schema.index({ open: 1, guildId: 1 }, { unique: true, partialFilterExpression: { open: true } });
// A guild's latest import.
schema.index({ guildId: 1, _id: -1 });
// Imports that ended long ago.
schema.index({ finishedAt: 1 }, { partialFilterExpression: { finishedAt: { $exists: true } } });
// Imports that a person began: erasing their data.
schema.index({ 'actor.id': 1 }, { partialFilterExpression: { 'actor.kind': 'user' } });
giveOutbox(schema);
export const PeopleImports = new GuildModel<PeopleImport>('PeopleImport', schema);
declareDueTime({
  ...{ model: PeopleImports.acrossGuilds, field: 'waitsUntil', longestMs: longestWaitMs },
  ...{ hint: { open: 1, guildId: 1 }, among: { open: true } },
});

/** An import as the words that it gave name it. */
export const runOf = ({ _id: importId, source, createdAt }: Pick<PeopleImport, '_id' | 'source' | 'createdAt'>) => ({
  ...{ importId, importedFrom: source, from: createdAt },
});

/**
 * A pair in an import. One that was imported is kept for a day, for an undo; one that was not, for a month with the
 * reason.
 */
export const importRowFields = z.strictObject({
  /** `importId chatUserId gameUserId`. */
  _id: z.string(),
  guildId: z.string(),
  importId: z.string(),
  chatUserId: z.string(),
  gameUserId: z.string(),
  problem: pairProblem.exactOptional(),
  /** Whether the list contradicts itself here: the pair is not checked. */
  isPreset: z.literal(true).exactOptional(),
  /** Whether the import has come to it. */
  isDone: z.literal(true).exactOptional(),
  /** Whether this import gave the account. */
  made: z.literal(true).exactOptional(),
  /** The person's nickname before that; null: they had none. */
  nickname: z.string().nullable().exactOptional(),
  /** Whether an undo has begun with it, and its result. */
  undoing: z.literal(true).exactOptional(),
  undone: undoneAs.exactOptional(),
});
export interface ImportRow extends z.output<typeof importRowFields> {}

/** The index for an import's pairs, the problems in order. */
export const byImport = { importId: 1, problem: 1, chatUserId: 1 } as const;

const rowSchema = schemaOf<ImportRow>('people_import_rows', importRowFields);
// An import's problems, in order, and the people with the same Roblox account in it.
rowSchema.index(byImport);
rowSchema.index({ importId: 1, gameUserId: 1 });
// Everything about a person: erasing their data.
rowSchema.index({ chatUserId: 1 });
export const ImportRows = new GuildModel<ImportRow>('PeopleImportRow', rowSchema);

export const rowId = (importId: string, chatUserId: string, gameUserId: string): string =>
  `${importId} ${chatUserId} ${gameUserId}`;

export const noCounts: ImportCounts = {
  done: 0,
  imported: 0,
  known: 0,
  unknown: 0,
  contradicting: 0,
  refused: 0,
  not_in_server: 0,
  not_found: 0,
};
