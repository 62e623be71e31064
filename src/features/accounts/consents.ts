import { trusted } from 'mongoose';
import { z } from 'zod';
import type { Actor } from '../../core/actors/actor.js';
import { enterLog, newEntry } from '../../core/audit/audit-service.js';
import { findGuilds, findPresentGuild, type Guild } from '../../core/guilds/guild-service.js';
import { Conflict, NotFound } from '../../lib/errors.js';
import { t } from '../../lib/translate.js';
import { push } from '../../platforms/events/outbox.js';
import { endLink } from '../members/member-links.js';
import { type Member, Members, namelessOne } from '../members/member-model.js';
import { announceSync } from '../members/pending-syncs.js';
import { linkKnownMember } from './account-settling.js';
import { noteIfThere } from './missing-links.js';

/**
 * Whether a guild sees a person's account. `shown`: they are linked there. `agreed`: allowed, but something else
 * prevents the link. `hidden`: not allowed. `unanswered`: no answer yet.
 */
export const consentState = z.enum(['shown', 'agreed', 'hidden', 'unanswered']);
type ConsentState = z.output<typeof consentState>;

export interface GuildConsent {
  guild: Guild;
  member: Member;
  state: ConsentState;
}

/** More attempts than concurrent changes to one person's data ever need. */
const mostTries = 10;

/** Every guild that has the bot and in which the person is a member or linked, with their consent; sorted by name. */
export async function consentsOf(chatUserId: string): Promise<GuildConsent[]> {
  const members = new Map<string, Member>();
  const stored = Members.acrossGuilds.find({ chatUserId }).hint({ chatUserId: 1 }).lean<Member>();
  for await (const member of stored.cursor()) if (isKnown(member)) members.set(member.guildId, member);
  const guilds = await findGuilds([...members.keys()], null);
  const found = guilds.flatMap((guild) => {
    const member = members.get(guild._id);
    return member === undefined ? [] : [{ guild, member, state: stateOf(member) }];
  });
  return found.sort((a, b) => a.guild.name.localeCompare(b.guild.name, 'en') || (a.guild._id < b.guild._id ? -1 : 1));
}

/**
 * The consent for one guild. Throws NotFound `guild_not_found` if the person is not in it, and ChatPlatformUnavailable.
 */
export async function consentIn(guildId: string, chatUserId: string): Promise<GuildConsent> {
  const guild = await findPresentGuild(guildId);
  if (guild === null) throw noSuchGuild();
  const stored = await Members.findOne({ guildId, chatUserId });
  if (stored !== null && isKnown(stored)) return { guild, member: stored, state: stateOf(stored) };
  const member = (await noteIfThere(guildId, chatUserId)) ? await Members.findOne({ guildId, chatUserId }) : null;
  if (member === null) throw noSuchGuild();
  return { guild, member, state: stateOf(member) };
}

/**
 * Lets a guild see and use a person's account, and links them there unless its rules forbid it. The guild also learns
 * about the proof that they made elsewhere. Throws as `consentIn` does, and Conflict `busy`.
 */
export async function giveConsent(guildId: string, person: Actor): Promise<GuildConsent> {
  for (let tries = 0; tries < mostTries; tries += 1) {
    const consent = await consentIn(guildId, person.id);
    const { member, state } = consent;
    if (member.consent !== 'given') await keepAnswer(member, 'given', person);
    else if (state === 'shown') return consent;
    else if (await linkKnownMember(guildId, person.id, person)) announceSync(member, 'link');
    else return consent;
  }
  throw changedByOthers();
}

/**
 * Hides a person's account from a guild and unlinks them there. Only their consent or a proof made there links them
 * again. Throws as `consentIn` does, and Conflict `busy`.
 */
export async function withdrawConsent(guildId: string, person: Actor): Promise<GuildConsent> {
  for (let tries = 0; tries < mostTries; tries += 1) {
    const consent = await consentIn(guildId, person.id);
    if (consent.state === 'hidden') return consent;
    const { member } = consent;
    if (member.state !== 'linked') await keepAnswer(member, 'refused', person);
    else if (await endLink(member, 'self', person, { withdraws: true })) announceSync(member, 'unlink');
  }
  throw changedByOthers();
}

/** Writes only if the member is unchanged since `member` was read; otherwise the caller reads it again. */
async function keepAnswer(member: Member, consent: 'given' | 'refused', person: Actor): Promise<void> {
  const { guildId, chatUserId, chatUsername, state, consent: former = null } = member;
  const entry = newEntry({
    guildId,
    actor: person,
    action: consent === 'given' ? 'consent.given' : 'consent.refused',
    target: { kind: 'member', id: chatUserId, name: chatUsername },
    changes: { consent: { from: former, to: consent } },
  });
  const asRead = { guildId, chatUserId, state, consent: former === null ? trusted({ $exists: false }) : former };
  const $unset = consent === 'refused' ? { linkDueAt: 1 as const } : {};
  if ((await Members.update(asRead, { $set: { consent }, $unset, ...push(entry) })) !== null) await enterLog(entry);
}

const isKnown = ({ present, state, chatUsername }: Member): boolean =>
  chatUsername !== namelessOne && (present || state === 'linked');

function stateOf({ state, consent }: Member): ConsentState {
  if (state === 'linked') return 'shown';
  if (consent === undefined) return 'unanswered';
  return consent === 'given' ? 'agreed' : 'hidden';
}

export const changedByOthers = () =>
  new Conflict('busy', 'Your account is being changed by others. Try again in a moment.');

export const noSuchGuild = () => new NotFound('guild_not_found', t('error.no_such_guild'));
