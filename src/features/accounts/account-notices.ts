import { trusted } from 'mongoose';
import type { Actor } from '../../core/actors/actor.js';
import { readSettings } from '../../core/settings/settings-service.js';
import { clock } from '../../lib/clock.js';
import { newSecret } from '../../lib/ids.js';
import { logger } from '../../lib/logger.js';
import { PatientWork } from '../../lib/patient-work.js';
import { type Locale, t, withLocale } from '../../lib/translate.js';
import { withLease } from '../../platforms/database/lease.js';
import { verbatim } from '../../platforms/discord/channel-messages.js';
import { deliverDirectMessage } from '../../platforms/discord/direct-messages.js';
import { type GameIdentity, type Member, Members } from '../members/member-model.js';
import {
  type AccountNotice,
  Accounts,
  ofPerson,
  personOfAccount,
  removeAccount,
  type StoredAccount,
} from './account-model.js';

// If another actor sets, replaces, transfers or removes a person's account, the person gets a direct message (ID-15).

export const isSomebodyElse = ({ kind, id }: Pick<Actor, 'kind' | 'id'>, chatUserId: string): boolean =>
  kind === 'bot_token' || (kind === 'user' && id !== chatUserId);

/** The `$push` for the write that changes `chatUserId`'s account; empty if the person changed it themselves. */
export function noticeTo(
  chatUserId: string,
  actor: Actor,
  kind: AccountNotice['kind'],
  game: Pick<GameIdentity, 'gameUserId' | 'gameUsername'>,
): { notices?: AccountNotice } {
  if (!isSomebodyElse(actor, chatUserId)) return {};
  const { gameUserId, gameUsername } = game;
  return { notices: { id: newSecret(), kind, gameUserId, gameUsername, since: clock.now() } };
}

/** Sends a person their waiting notices. Never throws: if Discord refuses a notice now, it is sent later. */
export async function sendNotices(chatUserId: string): Promise<void> {
  await sendAll(chatUserId).catch((err: unknown) =>
    logger.warn({ err, chatUserId }, 'notice about an account not sent yet'),
  );
}

async function sendAll(chatUserId: string): Promise<void> {
  await withLease(`notices:${chatUserId}`, async () => {
    for (const { _id, notices } of await Accounts.find(ofPerson(chatUserId)).lean<StoredAccount[]>()) {
      for (const notice of notices ?? []) {
        await tell(chatUserId, notice);
        await Accounts.updateOne({ _id }, { $pull: { notices: { id: notice.id } } });
      }
      await removeAccount({ _id, ...nothingLeft });
    }
  });
}

/** An account without a game account that needs no further update or notice. */
const nothingLeft = {
  gameUserId: trusted({ $exists: false }),
  unsettled: trusted({ $exists: false }),
  'notices.0': trusted({ $exists: false }),
};

const notices = new PatientWork('account_notices');

/** Sends the notices from before `before` that a crash or a Discord outage left unsent. */
export async function sendNoticesLeft(before: Date, signal: AbortSignal): Promise<void> {
  const left = Accounts.find({ 'notices.since': trusted({ $lt: before }) }, { _id: 1 }).lean<{ _id: string }>();
  for await (const { _id } of left.cursor()) {
    if (signal.aborted) return;
    await notices.on(_id, () => sendAll(personOfAccount({ _id })));
  }
}

async function tell(chatUserId: string, { id, kind, gameUserId, gameUsername }: AccountNotice): Promise<void> {
  const [words, label] = withLocale(await localeOfPerson(chatUserId), () => [
    t(`notice.${kind}`, { account: verbatim(gameUsername) }),
    t('notice.not_me'),
  ]);
  const buttons = [{ customId: `account-disown:${gameUserId}`, label: label ?? '', isDanger: true }];
  await deliverDirectMessage(chatUserId, words ?? '', { buttons, nonce: id });
}

/** The language in a guild that the person is in; English if none is known. */
export async function localeOfPerson(chatUserId: string): Promise<Locale> {
  const member = await Members.acrossGuilds.findOne({ chatUserId, present: true }).lean<Member | null>();
  return member === null ? 'en' : (await readSettings(member.guildId)).locale;
}
