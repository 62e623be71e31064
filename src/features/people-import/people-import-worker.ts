import { setTimeout as delay } from 'node:timers/promises';
import { trusted } from 'mongoose';
import { z } from 'zod';
import { config } from '../../config/config.js';
import type { Actor } from '../../core/actors/actor.js';
import { findPresentGuild } from '../../core/guilds/guild-service.js';
import { clock } from '../../lib/clock.js';
import { AppError } from '../../lib/errors.js';
import { unseal } from '../../lib/sealed-secrets.js';
import { minuteMs, secondMs } from '../../lib/time.js';
import { type Lease, withLease } from '../../platforms/database/lease.js';
import { type GuildMember, readMemberPage } from '../../platforms/discord/guild-members.js';
import { isForThisProcess } from '../../platforms/discord/process-share.js';
import { keyed } from '../../platforms/jobs/keyed.js';
import { standing } from '../../platforms/jobs/standing.js';
import { askSource, type LinkSource, paceOf } from '../../platforms/link-sources/link-sources.js';
import { readGameNames } from '../../platforms/roblox/game-user-search.js';
import { importAccount, importedAmong, linkedAmong, revokeImport } from '../accounts/account-import.js';
import { ImportEnds, ImportWaits, importEnding, incrementsOf, underWay } from './people-import-ending.js';
import {
  type ImportCounts,
  ImportRows,
  type PeopleImport,
  PeopleImports,
  rowId,
  runOf,
} from './people-import-model.js';
import { keepBefore, listPair } from './people-import-rows.js';
import { undoImport } from './people-import-undo.js';
import type { Pair } from './people-list.js';

const importsAtOnce = 20;
/** Pairs in a list that are done and noted together. */
const pairsPerStep = 100;
/** How long to wait when Discord or Roblox does not answer. */
const unavailableMs = 30 * secondMs;
/** Answers in a row that ask to wait, after which the import ends. */
const mostWaits = 200;

const imports = keyed({
  name: 'run-people-import',
  concurrency: importsAtOnce,
  async run(importId, signal) {
    const found = await PeopleImports.acrossGuilds.findById(importId).lean<PeopleImport | null>();
    if (found?.open !== true || !isForUs(found)) return;
    const again = await runImport(found, signal);
    if (again !== null) imports.wakeAt(importId, again);
  },
});

/** Whether an import's guild is this process's, or its own process has left it alone for a while. */
const isForUs = ({ guildId, waitsUntil, createdAt }: PeopleImport): boolean =>
  config().shards === undefined || isForThisProcess(guildId, waitsUntil ?? createdAt);

/** Lets some process work on an import soon. */
export const wakeImport = (importId: string): void => imports.wake(importId);

/** The imports that can continue: after a kill, and when a wait is over. */
standing({
  name: 'resume-people-imports',
  everyMs: 30 * secondMs,
  atStart: true,
  async run() {
    const now = clock.now();
    const open = PeopleImports.acrossGuilds.find({ open: true }, { waitsUntil: 1 }).lean<PeopleImport>();
    for await (const { _id, waitsUntil } of open.cursor()) {
      if (waitsUntil === undefined || waitsUntil <= now) wakeImport(_id);
    }
  },
});

/**
 * Works on an import until it has ended, or the process stops. Returns the time to continue if a platform does not
 * answer; null if nothing is left to do here.
 */
async function runImport({ _id, guildId, undo }: PeopleImport, signal: AbortSignal): Promise<Date | null> {
  try {
    const work = (lease: Lease) =>
      undo === undefined ? new Run(lease, signal).work(_id, guildId) : undoImport(_id, guildId, { lease, signal });
    return await withLease(`people-import:${_id}`, work, { waitMs: 1_000 });
  } catch (error) {
    if (error instanceof AppError && (error.code === 'busy' || error.code === 'lease_lost')) return null;
    if (!(error instanceof AppError) || error.kind !== 'unavailable') throw error;
    const until = new Date(clock.epochMs() + unavailableMs);
    await PeopleImports.update({ _id, guildId, open: true }, { $set: { waitsUntil: until } });
    return until;
  }
}

class Run {
  #read: Awaited<ReturnType<typeof readMemberPage>> | undefined;
  #readAt = 0;
  #askedAt = Number.NEGATIVE_INFINITY;

  constructor(
    readonly lease: Lease,
    readonly signal: AbortSignal,
  ) {}

  async work(_id: string, guildId: string): Promise<Date | null> {
    const { fence } = this.lease;
    const begun = { _id, guildId, ...underWay, fence: trusted({ $lt: fence }) } as const;
    let now = await PeopleImports.update(begun, { $set: { fence }, $unset: { waitsUntil: 1 } });
    if (now === null) return null;
    const { actor: stored } = now;
    const actor: Actor = { ...stored, role: null, platformAdmin: false };
    try {
      while (now !== null && !this.signal.aborted) {
        const page = await this.#page(now);
        const step = await this.#step(now, page.members);
        if (step === null) return null;
        const isLast = step.isWhole && page.next === null;
        // Also past the last page, which a process that was killed before the end must not count again after its
        // restart.
        const after = step.isWhole ? (page.next ?? page.members.at(-1)?.chatUserId ?? now.after) : step.after;
        now = await this.#note(now, after, step.counts);
        if (isLast && now !== null) {
          await importEnding(now, actor, 'completed', { counts: await this.#listAbsent(now) });
          return null;
        }
      }
    } catch (error) {
      if (error instanceof ImportWaits) return this.#wait({ _id, guildId }, error.waitMs);
      if (!(error instanceof ImportEnds)) throw error;
      await importEnding({ _id, guildId }, actor, 'failed', { fault: error.fault });
    }
    return null;
  }

  async #page({ guildId, after }: PeopleImport) {
    const guild = await findPresentGuild(guildId);
    if (guild === null) throw new ImportEnds('bot_removed');
    if (guild.state === 'suspended') throw new ImportEnds('guild_suspended');
    return this.#membersAfter(guildId, after);
  }

  /** The next members. One page from Discord serves a minute's steps. */
  async #membersAfter(guildId: string, after: string) {
    const left = this.#read?.members.filter(({ chatUserId }) => BigInt(chatUserId) > BigInt(after)) ?? [];
    if (this.#read !== undefined && left.length > 0 && clock.monotonicMs() - this.#readAt < minuteMs)
      return { ...this.#read, members: left };
    this.#readAt = clock.monotonicMs();
    this.#read = await readMemberPage(guildId, after);
    return this.#read;
  }

  /** Imports a page's first pairs and returns the last one's place; null when the process stops. */
  #step(current: PeopleImport, members: readonly GuildMember[]) {
    return current.source === 'list' ? this.#listed(current, members) : this.#asked(current, current.source, members);
  }

  async #listed(current: PeopleImport, members: readonly GuildMember[]) {
    const { _id: importId, guildId } = current;
    const byId = new Map(members.map((member) => [member.chatUserId, member]));
    const rows = await ImportRows.find({
      ...{ guildId, importId, isPreset: trusted({ $exists: false }) },
      chatUserId: trusted({ $in: [...byId.keys()] }),
    });
    const pairs = rows.sort((a, b) => (BigInt(a.chatUserId) < BigInt(b.chatUserId) ? -1 : 1)).slice(0, pairsPerStep);
    const counts = await this.#importAll(current, pairs, byId);
    const last = pairs.at(-1);
    return { counts, isWhole: rows.length <= pairs.length, after: last?.chatUserId ?? current.after };
  }

  async #asked(current: PeopleImport, source: LinkSource, members: readonly GuildMember[]) {
    const { guildId, sealedKey = '', _id } = current;
    if (this.#askedAt === Number.NEGATIVE_INFINITY) {
      const ids = members.map(({ chatUserId }) => chatUserId);
      const done = await importedAmong(guildId, ids, runOf(current));
      // A killed process gave them their account, and could not count it.
      const isWhole = members.at(-1)?.chatUserId === done;
      if (done !== null) return { counts: { done: 1, imported: 1 }, isWhole, after: done };
    }
    const { key } = await unseal(z.object({ key: z.string() }), sealedKey, { purpose: 'people-import', salt: _id });
    const linked = await linkedAmong(
      guildId,
      members.map(({ chatUserId }) => chatUserId),
    );
    const next = members.find(({ chatUserId }) => !linked.has(chatUserId));
    if (next === undefined) return { counts: {}, isWhole: true, after: current.after };
    const { chatUserId } = next;
    const answer = await this.#ask(source, key, { guildId, chatUserId });
    if (answer === null) return null;
    const byId = new Map([[chatUserId, next]]);
    const counts: Partial<ImportCounts> =
      answer.kind === 'none'
        ? { done: 1, unknown: 1 }
        : await this.#importAll(current, [{ chatUserId, gameUserId: answer.gameUserId }], byId);
    return { counts, isWhole: members.at(-1) === next, after: chatUserId };
  }

  /**
   * Waits for the other bot's pace, then asks. Returns null when the process stops. The wait comes first, so that a stop
   * loses no answer.
   */
  async #ask(source: LinkSource, key: string, who: { guildId: string; chatUserId: string }) {
    const waitMs = this.#askedAt + paceOf(source) - clock.monotonicMs();
    if (waitMs > 0) await delay(waitMs, undefined, { signal: this.signal }).catch(() => undefined);
    if (this.signal.aborted) return null;
    this.#askedAt = clock.monotonicMs();
    const answer = await askSource(source, key, who);
    if (answer.kind === 'key_refused' || answer.kind === 'not_understood') throw new ImportEnds(answer.kind);
    if (answer.kind === 'later') throw new ImportWaits(answer.waitMs);
    return answer;
  }

  /** Notes until when the import waits. After too many waits in a row it ends. */
  async #wait({ _id, guildId }: Pick<PeopleImport, '_id' | 'guildId'>, waitMs: number): Promise<Date | null> {
    const waitsUntil = new Date(clock.epochMs() + waitMs);
    const mine = { _id, guildId, open: true, fence: this.lease.fence } as const;
    const waiting = await PeopleImports.update(mine, { $set: { waitsUntil }, $inc: { waits: 1 } });
    if (waiting === null) return null;
    if ((waiting.waits ?? 0) <= mostWaits) return waitsUntil;
    await importEnding(waiting, { ...waiting.actor, role: null, platformAdmin: false }, 'failed', {
      fault: 'unavailable',
    });
    return null;
  }

  async #importAll(
    current: PeopleImport,
    pairs: readonly Pair[],
    members: ReadonlyMap<string, GuildMember>,
  ): Promise<Partial<ImportCounts>> {
    await keepBefore(current, pairs, members);
    const names =
      pairs.length === 0 ? new Map<string, never>() : await readGameNames(pairs.map(({ gameUserId }) => gameUserId));
    const counts: Partial<ImportCounts> = { done: pairs.length };
    const made: string[] = [];
    const count = (what: keyof ImportCounts, by = 1) => (counts[what] = (counts[what] ?? 0) + by);
    for (const pair of pairs) {
      this.lease.requireHeld();
      const game = names.get(pair.gameUserId);
      const member = members.get(pair.chatUserId);
      const outcome =
        game === undefined || member === undefined
          ? ('not_found' as const)
          : await this.#import(current, { chatUserId: pair.chatUserId, chatUsername: member.username, game }, count);
      count(outcome);
      if (outcome === 'imported') made.push(rowId(current._id, pair.chatUserId, pair.gameUserId));
      else if (outcome !== 'known') await listPair(current, pair, outcome);
    }
    if (made.length > 0) await ImportRows.acrossGuilds.updateMany({ _id: trusted({ $in: made }) }, { made: true });
    const done = pairs.map(({ chatUserId, gameUserId }) => rowId(current._id, chatUserId, gameUserId));
    if (done.length > 0) await ImportRows.acrossGuilds.updateMany({ _id: trusted({ $in: done }) }, { isDone: true });
    return counts;
  }

  /** Imports a pair. If this import gave the account to another person, it is taken back, and neither pair counts. */
  async #import(
    current: PeopleImport,
    pair: Parameters<typeof importAccount>[1],
    count: (what: keyof ImportCounts, by: number) => void,
  ) {
    const { _id: importId, guildId, actor: stored } = current;
    const { voucher = { chatUserId: null, ceilingRoleId: guildId } } = current;
    const actor: Actor = { ...stored, role: null, platformAdmin: false };
    const { gameUserId } = pair.game;
    const contradicted = { guildId, importId, gameUserId, problem: 'contradicting' } as const;
    if ((await ImportRows.findOne(contradicted)) !== null) return 'contradicting';
    const run = runOf(current);
    const { keepsNicknames, leavesNicknames } = current;
    const terms = {
      voucher,
      ...(keepsNicknames && { keepsNickname: true as const }),
      ...(leavesNicknames && { leavesNickname: true as const }),
    };
    const outcome = await importAccount(guildId, pair, run, terms, actor);
    if (outcome !== 'contradicting') return outcome;
    const other = await revokeImport(guildId, gameUserId, run, actor);
    if (other !== null) {
      await listPair(current, { chatUserId: other, gameUserId }, 'contradicting');
      count('contradicting', 1);
      count('imported', -1);
    }
    return outcome;
  }

  /** Lists the list's pairs with a person that was on no page. Another bot is asked about members alone. */
  async #listAbsent({ _id, source }: PeopleImport): Promise<Partial<ImportCounts>> {
    if (source !== 'list') return {};
    const absent = { importId: _id, isPreset: trusted({ $exists: false }), isDone: trusted({ $exists: false }) };
    await ImportRows.acrossGuilds.updateMany(absent, { $set: { problem: 'not_in_server' } });
    const count = await ImportRows.acrossGuilds.countDocuments(absent);
    return count === 0 ? {} : { not_in_server: count, done: count };
  }

  /** Records progress in one write. Null if the import has ended, or another process works on it. */
  #note({ _id, guildId }: PeopleImport, after: string, counts: Partial<ImportCounts>): Promise<PeopleImport | null> {
    const $inc = incrementsOf(counts);
    const mine = { _id, guildId, open: true, fence: this.lease.fence } as const;
    return PeopleImports.update(mine, {
      $set: { after },
      $unset: { waits: 1 },
      ...(Object.keys($inc).length > 0 && { $inc }),
    });
  }
}
