import { type Actor, isOfGuildToken } from '../../core/actors/actor.js';
import type { ProofMethod } from '../../core/settings/guild-settings.js';
import { clock } from '../../lib/clock.js';
import { InvalidRequest } from '../../lib/errors.js';
import { hashSecret, newSecret } from '../../lib/ids.js';
import { shortGameUserReference } from '../../platforms/roblox/game-user-search.js';
import { readGameUser } from '../../platforms/roblox/game-users.js';
import type { AccountUse } from '../accounts/account-use.js';
import { gameCodeLifeMs, newGameCode, sealToken } from './game-codes.js';
import { beginOAuth, type OAuthAnswer, redeemOAuth, requireState } from './oauth-proof.js';
import { newPhrase } from './phrase.js';
import { proveByProfile } from './profile-proof.js';
import { acceptAccount } from './proof-rejected.js';
import { type Completion, type ProofEntry, runProof } from './proof-run.js';
import { enterForCreation, enterSession, findOwnSession } from './verification-access.js';
import { proofGoingOn, refuseIfHeld, refuseIfOver, refuseUnlessPending } from './verification-failed.js';
import type { StoredVerification } from './verification-model.js';
import { type KnownGuild, requireMethod, requireVerifier, rulesOf } from './verification-rules.js';
import { openSession, type VerificationSession } from './verification-session.js';
import {
  findVerification,
  insertVerification,
  restartVerification,
  sessionLifeMs,
  updateProof,
} from './verification-store.js';

export type { Completion } from './proof-run.js';
export { VerificationFailed } from './verification-failed.js';
export type { VerificationSession } from './verification-session.js';

/**
 * Begins `chatUserId`'s verification in a guild. With `guildId: null` it belongs to no guild, or to a bot token's
 * guild. The returned token is stored nowhere.
 * Throws `enterForCreation`'s and `requireMethod`'s errors, RateLimited, GamePlatformUnavailable (oauth). The limit is
 * 10 an hour; a guild's tokens count separately from the person. `known` is not read again.
 */
export async function createVerification(
  wish: { guildId: string | null; method: ProofMethod; chatUserId: string },
  actor: Actor,
  known?: KnownGuild,
): Promise<{ session: VerificationSession; token: string }> {
  const { method, chatUserId } = wish;
  const { guild, chatUsername } = await enterForCreation(actor, wish, known);
  const guildId = guild?._id ?? null;
  requireMethod(await rulesOf(guildId, known), method);
  await requireVerifier(guildId, method);
  const token = newSecret();
  const stored: StoredVerification = {
    _id: hashSecret(token),
    guildId,
    chatUserId,
    chatUsername,
    ...(await newChallenge(method, token)),
    state: 'pending',
    reason: null,
    gameUsername: null,
    game: null,
    attempts: 0,
    proof: null,
    transfer: null,
    tokenGuildId: actor.tokenGuildId ?? null,
    createdAt: clock.now(),
  };
  await insertVerification(stored);
  return { session: await openSession(stored, token), token };
}

/** A session, for its own person or for its guild's bot token. Throws NotFound `session_not_found`. */
export async function readVerification(token: string, actor: Actor): Promise<VerificationSession> {
  const session = await openSession(await findOwnSession(token, actor), token);
  if (actor.kind === 'user' || !session.isChoosing) return session;
  const game = session.state === 'pending' ? null : session.game;
  return { ...session, isChoosing: false, game };
}

/** `use`: the account's use beside others, if its person has chosen already (VER-35). `known` is not read again. */
export interface ProofTerms {
  known?: KnownGuild | undefined;
  use?: AccountUse | undefined;
}

/**
 * Looks for the session's phrase in a Roblox profile, and links the account when it is there, or holds it (VER-23). The
 * username may be left out after the first try. Throws InvalidRequest without any username, VerificationFailed,
 * GamePlatformUnavailable with the session still pending, and the refusals of `enterSession`, `refuseUnlessPending` and `requireMethod`.
 */
export async function completeByProfile(
  token: string,
  gameUsername: string | undefined,
  actor: Actor,
  { known, use }: ProofTerms = {},
): Promise<Completion> {
  const { rules, ...entered } = await enterPending(token, actor, 'profile_code', known);
  const entry = { ...entered, ...(use !== undefined && { use }) };
  const name = tidyUsername(gameUsername) ?? entry.stored.gameUsername;
  if (name === null) throw new InvalidRequest([{ path: 'gameUsername', message: 'is required: your Roblox username' }]);
  return runProof(entry, name, ({ phrase }) => proveByProfile(name, phrase ?? '', rules.minimumAccountAgeDays));
}

/**
 * Takes Roblox's redirect, a code or an error, and links or holds the consenting account. Throws as `completeByProfile`
 * does.
 */
export async function completeByOAuth(
  token: string,
  answer: OAuthAnswer,
  actor: Actor,
  { use }: ProofTerms = {},
): Promise<Completion> {
  const { rules, ...entered } = await enterPending(token, actor, 'oauth');
  const entry = { ...entered, ...(use !== undefined && { use }) };
  return runProof(entry, entry.stored.gameUsername, async (claimed) => {
    const oauth = requireState(claimed.oauth, answer.state);
    const codeHash = 'code' in answer ? hashSecret(answer.code) : undefined;
    // A code works once, so the account that an interrupted proof learned from it is used again.
    const known = codeHash !== undefined && codeHash === oauth.codeHash ? claimed.game : null;
    const game = known ?? (await redeemOAuth(oauth, answer));
    await updateProof(claimed, { $set: { game, ...(codeHash && { 'oauth.codeHash': codeHash }) } });
    return acceptAccount(await readGameUser(game.gameUserId, { fresh: true }), rules.minimumAccountAgeDays);
  });
}

/**
 * Makes a failed, expired or pending session pending for another 15 minutes, with a new phrase or sign-in and
 * optionally the other method. Used attempts still count. A guild's token cannot interrupt a session that waits for an
 * answer.
 * Throws the refusals of `enterSession`, `refuseIfOver`, `refuseIfHeld` and `requireMethod`, and
 * GamePlatformUnavailable (oauth).
 */
export async function retryVerification(
  token: string,
  wished: ProofMethod | undefined,
  actor: Actor,
  known?: KnownGuild,
): Promise<{ session: VerificationSession }> {
  const { stored } = await enterSession(token, actor, known);
  const refuse = async (session: StoredVerification): Promise<void> => {
    await refuseIfOver(session, token);
    if (isOfGuildToken(actor)) refuseIfHeld(session);
  };
  await refuse(stored);
  const method = wished ?? stored.method;
  requireMethod(await rulesOf(stored.guildId, known), method);
  await requireVerifier(stored.guildId, method);
  const challenge = await newChallenge(method, token);
  const restarted = await restartVerification(stored._id, challenge, clock.now(), isOfGuildToken(actor));
  if (restarted === null) {
    await refuse((await findVerification({ _id: stored._id })) ?? stored);
    throw proofGoingOn();
  }
  return { session: await openSession(restarted, token) };
}

async function newChallenge(method: ProofMethod, token: string) {
  const phrase = method === 'profile_code' ? newPhrase() : method === 'game_code' ? newGameCode() : null;
  const sealedToken = method === 'game_code' ? await sealToken(token, hashSecret(token)) : null;
  const lifeMs = method === 'game_code' ? gameCodeLifeMs : sessionLifeMs;
  const oauth = method === 'oauth' ? await beginOAuth(token) : null;
  return { method, phrase, sealedToken, oauth, connected: null, expiresAt: new Date(clock.epochMs() + lifeMs) };
}

/**
 * A session that waits for a proof by `method`, to run it. Throws as `completeByProfile` does, except for Roblox's
 * errors.
 */
export async function enterPending(token: string, actor: Actor, method: ProofMethod, known?: KnownGuild) {
  const { stored, guild } = await enterSession(token, actor, known);
  await refuseUnlessPending(stored, token);
  const rules = await rulesOf(stored.guildId, known);
  requireMethod(rules, stored.method);
  if (stored.method !== method) throw otherProof(stored.method, method);
  const entry: ProofEntry = { token, actor, stored, guild };
  return { ...entry, rules };
}

const verifiedBy: Readonly<Record<ProofMethod, string>> = {
  oauth: 'signing in on Roblox',
  profile_code: 'words in the profile',
  discord_connection: 'the account that Discord knows',
  game_code: 'a code in a Roblox game',
};

/** The error for another kind of proof than the session waits for. */
function otherProof(wanted: ProofMethod, given: ProofMethod): InvalidRequest {
  const [path, what] =
    wanted === 'oauth' ? ['code', 'is required'] : [given === 'oauth' ? 'code' : 'token', 'does not belong here'];
  return new InvalidRequest([{ path, message: `${what}: this session is verified by ${verifiedBy[wanted]}` }]);
}

/** People write usernames with spaces around them, or an @ in front. */
function tidyUsername(typed: string | undefined): string | null {
  return shortGameUserReference(typed ?? '') || null;
}
