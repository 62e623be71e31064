import type { PipelineStage } from 'mongoose';
import { push } from '../../platforms/events/outbox.js';
import type { Actor } from '../actors/actor.js';
import { enterLog, newEntry } from '../audit/audit-service.js';
import { type Guild, GuildRecord } from '../guilds/guild-model.js';
import { type Teammate, Teammates } from './teammate-model.js';

/** The team role that a guild has given a person, or null. */
export function findTeammate(guildId: string, chatUserId: string): Promise<Teammate | null> {
  return Teammates.findOne({ guildId, chatUserId });
}

/** The team roles given to a person, in every guild, including invitations. */
export function teamsOf(chatUserId: string): Promise<Teammate[]> {
  return Teammates.acrossGuilds.find({ chatUserId }).lean<Teammate[]>().exec();
}

export interface InvitationInGuild extends Teammate {
  guilds: Pick<Guild, '_id' | 'name' | 'present'>[];
}

/** The aggregation stage that joins a person's invitations to other rows. */
export function withInvitations(chatUserId: string): PipelineStage.UnionWith {
  const invited = { $match: { chatUserId, state: 'invited' } };
  // A `$lookup` with its own pipeline would make every request about 50 % slower.
  const guilds = { from: GuildRecord.collection.name, localField: 'guildId', foreignField: '_id', as: 'guilds' };
  return { $unionWith: { coll: Teammates.acrossGuilds.collection.name, pipeline: [invited, { $lookup: guilds }] } };
}

/**
 * Activates an invited person on their first visit: a web request or a command (AUTH-45). Does nothing if another
 * request by them was first.
 */
export async function activateInvitation(guildId: string, actor: Actor): Promise<void> {
  const invited = { guildId, chatUserId: actor.id, state: 'invited' as const };
  const entry = newEntry({
    guildId,
    actor,
    action: 'teammate.activated',
    target: { kind: 'teammate', id: actor.id, name: actor.name },
    changes: { state: { from: 'invited', to: 'active' } },
  });
  const change = { $set: { state: 'active' as const, username: actor.name }, ...push(entry) };
  if ((await Teammates.update(invited, change)) !== null) await enterLog(entry);
}
