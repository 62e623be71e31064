import type { Guild } from '../../core/guilds/guild-service.js';
import { movedFrom } from '../../core/settings/beside-other-bots.js';
import { readSettings } from '../../core/settings/settings-service.js';
import { Remembered } from '../../platforms/database/remembered.js';
import { readGuildFacts } from '../../platforms/discord/guild-facts.js';
import { listAllMappings, type Mapping } from '../mappings/mapping-service.js';
import type { PeopleImport } from '../people-import/people-import-model.js';
import { latestInForce } from '../people-import/people-import-service.js';
import { countDifferences } from '../sync/plan/difference-list.js';
import type { StoredPlan } from '../sync/plan/plan-model.js';
import { latestWholeResyncs } from '../sync/resync/resync-service.js';
import { moveSteps, type PassedStep, type StepState } from './move-steps.js';

/** A server's way from another bot to Rolelink. */
export interface ServerMove {
  steps: StepState[];
  /** The steps passed over by an admin. */
  passed: PassedStep[];
  /** The bots of Roblox roles with a permission to give them, by their roles' names. */
  otherBots: string[];
  /** People in the latest import that was not undone; null: there was none within a month. */
  people: number | null;
  mappings: number;
  comparison: { state: 'none' | 'running' | 'done'; matching: number; differing: number };
}

/** The steps that a guild's admins passed over: no other fact tells them. */
const passedSteps = new Remembered<PassedStep[]>('passed_steps');

/** Throws ChatPlatformUnavailable. */
export async function readMove({ _id: guildId }: Pick<Guild, '_id'>): Promise<ServerMove> {
  const [{ mode }, facts, found, mappings, [latest = null, earlier = null], counts, remembered] = await Promise.all([
    readSettings(guildId),
    readGuildFacts(guildId),
    latestInForce(guildId),
    listAllMappings(guildId),
    latestWholeResyncs(guildId),
    countDifferences(guildId),
    passedSteps.find(guildId),
  ]);
  const otherBots = movedFrom(facts);
  const changedAt = lastChange(mappings, found);
  const state = comparisonOf(latest, changedAt);
  const { matching, differing } = counts;
  const passed = remembered?.value ?? [];
  const steps = moveSteps({
    observes: mode === 'observe',
    hasPeople: found !== null,
    mappings: mappings.length,
    // A comparison made again, as the daily one, takes nobody back to a former step.
    isCompared: state === 'done' || (state === 'running' && comparisonOf(earlier, changedAt) === 'done'),
    ...{ differing, otherBots, passed },
  });
  const people = found === null ? null : found.counts.imported + found.counts.known;
  return { steps, passed, otherBots, people, mappings: mappings.length, comparison: { state, matching, differing } };
}

/** When the last import ended, or a mapping last changed. */
function lastChange(mappings: readonly Mapping[], found: PeopleImport | null): number {
  return Math.max(0, found?.finishedAt?.getTime() ?? 0, ...mappings.map(({ updatedAt }) => updatedAt.getTime()));
}

/** Whether a whole resync has compared everybody since `changedAt`, in milliseconds since 1970. */
function comparisonOf(resync: StoredPlan | null, changedAt: number): ServerMove['comparison']['state'] {
  if (resync === null || resync.createdAt.getTime() < changedAt) return 'none';
  if (resync.open === true) return 'running';
  return resync.state === 'completed' ? 'done' : 'none';
}

/** Stores the steps to pass over. Throws ChatPlatformUnavailable. */
export async function passSteps(guild: Pick<Guild, '_id'>, passed: readonly PassedStep[]): Promise<ServerMove> {
  const guildId = guild._id;
  if (passed.length === 0) await passedSteps.forget(guildId);
  else await passedSteps.keep(guildId, { guildId, value: [...new Set(passed)] });
  return readMove(guild);
}
