import type { PipelineStage } from 'mongoose';
import { push } from '../../platforms/events/outbox.js';
import type { Actor } from '../actors/actor.js';
import { enterLog, newEntry } from '../audit/audit-service.js';
import { type Guild, GuildRecord } from '../guilds/guild-model.js';
import { type Teammate, Teammates } from './teammate-model.js';

/** The role that a guild has given a person, or null. */
export function findTeammate(guildId: string, chatUserId: string): Promise<Teammate | null> {
  return Teammates.findOne({ guildId, chatUserId });
}

/** Every guild that has given the person a team role, invitations included. */
export function teamsOf(chatUserId: string): Promise<Teammate[]> {
  return Teammates.acrossGuilds.find({ chatUserId }).lean<Teammate[]>().exec();
}

/** An invitation as `withInvitations` reads it, with the one guild that it is of. */
export interface InvitationInGuild extends Teammate {
  guilds: Pick<Guild, '_id' | 'name' | 'present'>[];
}

/** The stage that adds to other rows the invitations of a person. */
export function withInvitations(chatUserId: string): PipelineStage.UnionWith {
  const invited = { $match: { chatUserId, state: 'invited' } };
  // Without a pipeline of its own, which would cost everybody half as much again.
  const guilds = { from: GuildRecord.collection.name, localField: 'guildId', foreignField: '_id', as: 'guilds' };
  return { $unionWith: { coll: Teammates.acrossGuilds.collection.name, pipeline: [invited, { $lookup: guilds }] } };
}

/**
 * An invited person becomes active by their first visit: a request of their session, or a command (AUTH-45). Does
 * nothing when another request of theirs was quicker.
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
