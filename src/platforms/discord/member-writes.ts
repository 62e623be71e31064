import { setTimeout as delay } from 'node:timers/promises';
import { container } from '@sapphire/framework';
import { type RateLimitData, RateLimitError, RESTJSONErrorCodes, Routes } from 'discord.js';
import { clock } from '../../lib/clock.js';
import { memberAnswer } from './discord-answers.js';
import { type GuildMember, memberFromWire } from './guild-members.js';
import { noteOwnEdit, noteOwnWrite } from './own-writes.js';
import { callDiscord, GoneFromDiscord, parseAnswer, readDiscordOrNull } from './rest/discord-call.js';
import { currentLane } from './rest/lane.js';
import { type DiscordRest, lanesOf } from './rest/request-lanes.js';

/** How a member is written to. */
export interface MemberWrite {
  /** Goes into the guild's audit log, at most 512 characters. */
  reason: string;
  /** Runs right before each call that writes, after every wait for its turn; what it throws is thrown. */
  beforeSending?: () => void;
}

/** Gives one role (atomic on Discord's side). */
export function giveRole(guildId: string, chatUserId: string, roleId: string, write: MemberWrite): Promise<void> {
  const noted = whenSent(write, () => noteOwnWrite(guildId, chatUserId, [`+${roleId}`]));
  return writeRole('PUT', Routes.guildMemberRole(guildId, chatUserId, roleId), noted);
}

/** Takes one role (atomic on Discord's side). */
export function takeRole(guildId: string, chatUserId: string, roleId: string, write: MemberWrite): Promise<void> {
  const noted = whenSent(write, () => noteOwnWrite(guildId, chatUserId, [`-${roleId}`]));
  return writeRole('DELETE', Routes.guildMemberRole(guildId, chatUserId, roleId), noted);
}

function whenSent({ reason, beforeSending = nothing }: MemberWrite, note: () => void): MemberWrite {
  return {
    reason,
    beforeSending: () => {
      beforeSending();
      note();
    },
  };
}

async function writeRole(method: 'PUT' | 'DELETE', path: `/${string}`, write: MemberWrite): Promise<void> {
  const { reason, beforeSending = nothing } = write;
  await writeInTurn(method, path, (client) => {
    beforeSending();
    return method === 'PUT' ? client.put(path, { reason }) : client.delete(path, { reason });
  });
}

/** Takes somebody out of the guild, who may come back; of who is not in it, nothing. */
export async function kickMember(guildId: string, chatUserId: string, write: MemberWrite): Promise<void> {
  const path = Routes.guildMember(guildId, chatUserId);
  const { reason, beforeSending = nothing } = write;
  try {
    await writeInTurn('DELETE', path, (client) => {
      beforeSending();
      return client.delete(path, { reason });
    });
  } catch (error) {
    if (!(error instanceof GoneFromDiscord) || error.discordCode !== RESTJSONErrorCodes.UnknownMember) throw error;
  }
}

/** Sets the nickname alone, which undoes no change of roles, and answers with the member as they then are. */
export async function setNickname(
  guildId: string,
  chatUserId: string,
  nickname: string | null,
  { reason, beforeSending = nothing }: MemberWrite,
): Promise<GuildMember> {
  const path = Routes.guildMember(guildId, chatUserId);
  const edited = await writeInTurn('PATCH', path, (client) => {
    beforeSending();
    noteOwnWrite(guildId, chatUserId, [`=${nickname}`]);
    return client.patch(path, { body: wireEdit({ nickname }), reason });
  });
  return memberFromWire(parseAnswer(memberAnswer, edited));
}

/** An edit is made from a member who was read no longer ago than that. */
const freshForMs = 250;

/** The wished roles and nickname of a member. A missing field stays as it is. */
export interface MemberEdit {
  roleIds?: readonly string[];
  nickname?: string | null;
}

/**
 * Sets a member's whole list of roles, nickname, or both, in one call, and answers with the member as they then are. A
 * rate limit may delay the call for long. The member is read only when nothing is to be waited for any more, so that the
 * list undoes nothing that others changed meanwhile. `decide` gets the member as they are, or null when the person is
 * not in the guild, and returns null to change nothing; the result is then null too. It runs again when it took so long
 * that the member may be another by then, and when the limit was used up after all.
 */
export async function editMemberInTurn(
  guildId: string,
  chatUserId: string,
  decide: (now: GuildMember | null) => Promise<MemberEdit | null>,
  { reason, beforeSending = nothing }: MemberWrite,
): Promise<GuildMember | null> {
  const path = Routes.guildMember(guildId, chatUserId);
  const { UnknownMember } = RESTJSONErrorCodes;
  const editOnce: Send = async (client) => {
    for (;;) {
      const now = await readDiscordOrNull(memberAnswer, UnknownMember, () => client.get(path));
      const readAt = clock.monotonicMs();
      const member = now && memberFromWire(now);
      const edit = await decide(member);
      if (edit === null) return null;
      if (clock.monotonicMs() - readAt > freshForMs) continue;
      beforeSending();
      if (member !== null) noteOwnEdit(guildId, chatUserId, member, wishOf(edit));
      return client.patch(path, { body: wireEdit(edit), reason });
    }
  };
  const edited = await writeInTurn('PATCH', path, editOnce, { method: 'GET', path });
  return edited === null ? null : memberFromWire(parseAnswer(memberAnswer, edited));
}

/**
 * Whether an edit of a member would have to wait for its rate limit now, while these of the single roles' calls would
 * not.
 */
export function singlesAreQuicker(guildId: string, { add, remove }: { add: number; remove: number }): boolean {
  const { waitOf } = lanesOf(container.client.rest).rest;
  const roles = Routes.guildMemberRole(guildId, guildId, guildId);
  const isFree = (method: string, calls: number): boolean => calls === 0 || waitOf(method, roles) === 0;
  const mustWait = waitOf('PATCH', Routes.guildMember(guildId, guildId)) > 0;
  return mustWait && isFree('PUT', add) && isFree('DELETE', remove);
}

function nothing(): void {}

type Send = Parameters<DiscordRest['inTurn']>[2];

/**
 * Sends a writing call when its turn has come and its rate limit has room. What would have to wait, or is told to wait
 * (429), is not kept by discord.js but made anew by `send` after the wait: by then it may have to be another.
 */
function writeInTurn(
  method: string,
  path: string,
  send: Send,
  first?: { method: string; path: string },
): Promise<unknown> {
  const { lane, signal } = currentLane();
  return callDiscord((rest) => {
    const sendAfterWaits: Send = async (client) => {
      // The other lanes have waited for their turn.
      let waitMs = lane === 'interactive' ? rest.waitOf(method, path) : 0;
      for (;;) {
        if (waitMs > 0) await delay(waitMs, undefined, { signal }).catch(() => signal?.throwIfAborted());
        try {
          return await send(client);
        } catch (error) {
          if (!(error instanceof RateLimitError)) throw error;
          waitMs = error.retryAfter;
        }
      }
    };
    return rest.inTurn(method, path, sendAfterWaits, first);
  });
}

/** For discord.js's REST client: the calls that it shall refuse rather than keep until a rate limit is over. */
export function isMemberWrite({ method, route }: Pick<RateLimitData, 'method' | 'route'>): boolean {
  return method.toUpperCase() !== 'GET' && route.startsWith('/guilds/:id/members/');
}

const wishOf = ({ roleIds, nickname }: MemberEdit): Partial<Pick<GuildMember, 'roleIds' | 'nickname'>> => ({
  ...(roleIds !== undefined && { roleIds: [...roleIds] }),
  ...(nickname !== undefined && { nickname }),
});

const wireEdit = ({ roleIds, nickname }: MemberEdit) => ({
  ...(roleIds !== undefined && { roles: roleIds }),
  ...(nickname !== undefined && { nick: nickname }),
});
