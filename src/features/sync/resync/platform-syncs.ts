import { trusted } from 'mongoose';
import { dayMs } from '../../../lib/time.js';
import { Members } from '../../members/member-model.js';
import { type ResyncJob, ResyncJobs } from './resync-job-model.js';

/** The syncs that members of all guilds are owed: how many, how many of them are due, and since when. */
export async function countOwedSyncs(now: Date): Promise<{ owed: number; due: number; oldestDueAt: Date | null }> {
  const dueBy = (at: object) => ({ 'owedSync.dueAt': trusted(at) });
  const [owed, due, oldest] = await Promise.all([
    Members.acrossGuilds.countDocuments(dueBy({ $exists: true })),
    Members.acrossGuilds.countDocuments(dueBy({ $lte: now })),
    Members.acrossGuilds
      .findOne(dueBy({ $lte: now }), { owedSync: 1 })
      .sort({ 'owedSync.dueAt': 1 })
      .lean(),
  ]);
  return { owed, due, oldestDueAt: oldest?.owedSync?.dueAt ?? null };
}

/** The resyncs of all guilds: the unfinished ones, and those that finished within a day, by what became of them. */
export async function countResyncs(now: Date) {
  const since = trusted({ $gt: new Date(now.getTime() - dayMs) });
  const finished = (state: ResyncJob['state']) =>
    ResyncJobs.acrossGuilds.countDocuments({ state, finishedAt: since }).exec();
  const [open, completed24h, failed24h, cancelled24h] = await Promise.all([
    // One a guild at most, and few at a time.
    ResyncJobs.acrossGuilds.find({ open: true }, { state: 1, waiting: 1, awaitingConfirmation: 1 }).lean<ResyncJob[]>(),
    finished('completed'),
    finished('failed'),
    finished('cancelled'),
  ]);
  const held = open.filter(({ awaitingConfirmation }) => awaitingConfirmation !== undefined);
  const waiting = open.filter((job) => job.waiting !== undefined && !held.includes(job));
  const queued = open.filter((job) => job.state === 'queued');
  return {
    queued: queued.length,
    running: open.length - queued.length - held.length - waiting.length,
    waiting: waiting.length,
    awaitingConfirmation: held.length,
    ...{ completed24h, failed24h, cancelled24h },
  };
}
