import { setTimeout as delay } from 'node:timers/promises';
import { container } from '@sapphire/framework';
import { type RateLimitData, RateLimitError, RESTJSONErrorCodes, Routes } from 'discord.js';
import { clock } from '../../lib/clock.js';
import { currentLane } from '../../lib/lane.js';
import { type MemberAnswer, memberAnswer } from './discord-answers.js';
import { type GuildMember, memberFromWire } from './guild-members.js';
import { noteOwnEdit, noteOwnWrite } from './own-writes.js';
import { callDiscord, GoneFromDiscord, parseAnswer, readDiscordOrNull } from './rest/discord-call.js';
import { isTooLong, patience, tooSlow } from './rest/patience.js';
import { type DiscordRest, lanesOf } from './rest/request-lanes.js';
import { forgetSeen } from './seen-members.js';

export interface MemberWrite {
  /** Goes into the guild's audit log, at most 512 characters. */
  reason: string;
  /** Runs immediately before each writing call, after all waits; its errors are rethrown. */
  beforeSending?: () => Promise<void>;
}

/** Gives one role (atomic in Discord). */
export function giveRole(guildId: string, chatUserId: string, roleId: string, write: MemberWrite): Promise<void> {
  const noted = whenSent(write, () => noteWrite(guildId, chatUserId, `+${roleId}`));
  return writeRole('PUT', Routes.guildMemberRole(guildId, chatUserId, roleId), noted);
}

/** Removes one role (atomic in Discord). */
export function takeRole(guildId: string, chatUserId: string, roleId: string, write: MemberWrite): Promise<void> {
  const noted = whenSent(write, () => noteWrite(guildId, chatUserId, `-${roleId}`));
  return writeRole('DELETE', Routes.guildMemberRole(guildId, chatUserId, roleId), noted);
}

function noteWrite(guildId: string, chatUserId: string, change: string): void {
  noteOwnWrite(guildId, chatUserId, [change]);
  forgetSeen(guildId, chatUserId);
}

function whenSent({ reason, beforeSending = nothing }: MemberWrite, note: () => void): MemberWrite {
  return {
    reason,
    beforeSending: async () => {
      await beforeSending();
      note();
    },
  };
}

async function writeRole(method: 'PUT' | 'DELETE', path: `/${string}`, write: MemberWrite): Promise<void> {
  const { reason, beforeSending = nothing } = write;
  await writeInTurn(method, path, async (client) => {
    await beforeSending();
    return method === 'PUT' ? client.put(path, { reason }) : client.delete(path, { reason });
  });
}

/** Removes a person from the guild; they may come back. Does nothing for a person outside the guild. */
export async function kickMember(guildId: string, chatUserId: string, write: MemberWrite): Promise<void> {
  const path = Routes.guildMember(guildId, chatUserId);
  const { reason, beforeSending = nothing } = write;
  try {
    await writeInTurn('DELETE', path, async (client) => {
      await beforeSending();
      return client.delete(path, { reason });
    });
  } catch (error) {
    if (!(error instanceof GoneFromDiscord) || error.discordCode !== RESTJSONErrorCodes.UnknownMember) throw error;
  }
}

/** Sets only the nickname, which reverts no role changes, and returns the resulting member. */
export async function setNickname(
  guildId: string,
  chatUserId: string,
  nickname: string | null,
  { reason, beforeSending = nothing }: MemberWrite,
): Promise<GuildMember> {
  const path = Routes.guildMember(guildId, chatUserId);
  const edited = await writeInTurn('PATCH', path, async (client) => {
    await beforeSending();
    noteWrite(guildId, chatUserId, `=${nickname}`);
    return client.patch(path, { body: wireEdit({ nickname }), reason });
  });
  return memberFromWire(parseAnswer(memberAnswer, edited));
}

/** The member data's maximum age for an edit. */
const freshForMs = 250;

/** A member's wanted roles and nickname. A missing field stays unchanged. */
export interface MemberEdit {
  roleIds?: readonly string[];
  nickname?: string | null;
}

/**
 * Sets a member's complete role list, nickname, or both in one call, and returns the resulting member. A rate limit may
 * delay the call for long. The member is read after all waits, so the list does not revert other people's changes.
 * `decide` receives the current member, or null if the person is not in the guild. If it returns null, nothing changes
 * and the result is null. It runs again if it took so long that the member may have changed, or if the limit was
 * exhausted. A reading without a role that was `known` is repeated once, since one answer may be wrong (SYNC-59). If
 * the second lacks it too, `decide` hears about the doubt.
 */
export async function editMemberInTurn(
  guildId: string,
  chatUserId: string,
  decide: (now: GuildMember | null, isDoubtful: boolean) => Promise<MemberEdit | null>,
  { reason, beforeSending = nothing, known = [] }: MemberWrite & { known?: readonly string[] },
): Promise<GuildMember | null> {
  const path = Routes.guildMember(guildId, chatUserId);
  const { UnknownMember } = RESTJSONErrorCodes;
  const editOnce: Send = async (client) => {
    for (;;) {
      const read = () => readDiscordOrNull(memberAnswer, UnknownMember, () => client.get(path));
      const isDoubtful = (now: MemberAnswer | null) => known.some((roleId) => now?.roles.includes(roleId) === false);
      const first = await read();
      const now = isDoubtful(first) ? await read() : first;
      const readAt = clock.monotonicMs();
      const member = now && memberFromWire(now);
      const edit = await decide(member, isDoubtful(now));
      if (edit === null) return null;
      await beforeSending();
      if (clock.monotonicMs() - readAt > freshForMs) continue;
      if (member !== null) noteOwnEdit(guildId, chatUserId, member, wishOf(edit));
      forgetSeen(guildId, chatUserId);
      return client.patch(path, { body: wireEdit(edit), reason });
    }
  };
  const edited = await writeInTurn('PATCH', path, editOnce, { method: 'GET', path });
  return edited === null ? null : memberFromWire(parseAnswer(memberAnswer, edited));
}

/**
 * Waits until the rate limit for such a change has room in the running code's lane, so that nothing has to be held
 * meanwhile. Throws the lane signal's reason, and HeldBack if minutes remain to wait.
 */
export async function roomForChange(guildId: string, kind: 'give' | 'take' | 'edit'): Promise<void> {
  const { waitOf } = lanesOf(container.client.rest).rest;
  const { signal } = currentLane();
  const path =
    kind === 'edit' ? Routes.guildMember(guildId, guildId) : Routes.guildMemberRole(guildId, guildId, guildId);
  const method = { give: 'PUT', take: 'DELETE', edit: 'PATCH' }[kind];
  for (let waitMs = waitOf(method, path); waitMs > 0; waitMs = waitOf(method, path)) {
    if (waitMs > patience.ofWorkMs) throw tooSlow(waitMs);
    await delay(waitMs, undefined, { signal }).catch(() => signal?.throwIfAborted());
  }
}

/** Whether a member's edit would wait for its rate limit now, while calls for single roles would not. */
export function singlesAreQuicker(guildId: string, { add, remove }: { add: number; remove: number }): boolean {
  const { waitOf } = lanesOf(container.client.rest).rest;
  const roles = Routes.guildMemberRole(guildId, guildId, guildId);
  const isFree = (method: string, calls: number): boolean => calls === 0 || waitOf(method, roles) === 0;
  const mustWait = waitOf('PATCH', Routes.guildMember(guildId, guildId)) > 0;
  return mustWait && isFree('PUT', add) && isFree('DELETE', remove);
}

async function nothing(): Promise<void> {}

type Send = Parameters<DiscordRest['inTurn']>[2];

/**
 * Sends a write in its turn, once its rate limit has room. A call that must wait, or gets a 429, is not queued by
 * discord.js. `send` makes it again after the wait, since the right call may have changed.
 */
function writeInTurn(
  method: string,
  path: string,
  send: Send,
  first?: { method: string; path: string },
): Promise<unknown> {
  const { signal } = currentLane();
  return callDiscord((rest) => {
    const sendAfterWaits: Send = async (client) => {
      for (;;) {
        try {
          return await send(client);
        } catch (error) {
          if (!(error instanceof RateLimitError) || isTooLong(error)) throw error;
          await delay(error.retryAfter, undefined, { signal }).catch(() => signal?.throwIfAborted());
        }
      }
    };
    return rest.inTurn(method, path, sendAfterWaits, first);
  });
}

/** For discord.js's REST client: whether it rejects a call instead of queueing it for a rate limit. */
export function isRejected(limit: Pick<RateLimitData, 'method' | 'route' | 'retryAfter'>): boolean {
  const isMemberWrite = limit.method.toUpperCase() !== 'GET' && limit.route.startsWith('/guilds/:id/members/');
  return isMemberWrite || isTooLong(limit);
}

const wishOf = ({ roleIds, nickname }: MemberEdit): Partial<Pick<GuildMember, 'roleIds' | 'nickname'>> => ({
  ...(roleIds !== undefined && { roleIds: [...roleIds] }),
  ...(nickname !== undefined && { nickname }),
});

const wireEdit = ({ roleIds, nickname }: MemberEdit) => ({
  ...(roleIds !== undefined && { roles: roleIds }),
  ...(nickname !== undefined && { nick: nickname }),
});
