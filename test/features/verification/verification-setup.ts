import { config } from '../../../src/config/config.js';
import { type Actor, chatUser } from '../../../src/core/actors/actor.js';
import {
  defaultSettings,
  type GuildSettings,
  type VerificationMethod,
} from '../../../src/core/settings/guild-settings.js';
import { writeSettings } from '../../../src/core/settings/settings-service.js';
import { type StoredVerification, Verifications } from '../../../src/features/verification/verification-model.js';
import {
  createVerification,
  type VerificationSession,
} from '../../../src/features/verification/verification-service.js';
import { AppError } from '../../../src/lib/errors.js';
import { hashSecret } from '../../../src/lib/ids.js';
import { configureRoblox } from '../../../src/platforms/roblox/roblox-config.js';
import { buildGuild, buildMember, type TestGuild, type TestPerson } from '../../support/build.js';
import { world } from '../../support/world.js';

/** A person in a guild with a verification in progress there. */
export interface Applicant extends TestGuild {
  person: TestPerson;
  actor: Actor;
  token: string;
  session: VerificationSession;
}

/** Begins a person's verification (a new one's when left out) in a guild (likewise), over Discord so to speak. */
export async function buildApplicant(
  options: {
    method?: VerificationMethod;
    guild?: TestGuild;
    person?: TestPerson;
    settings?: Partial<GuildSettings['verification']>;
  } = {},
): Promise<Applicant> {
  const guild = options.guild ?? (await buildGuild());
  if (options.settings) await setVerification(guild.guildId, options.settings);
  const wish = options.person ? { person: options.person } : {};
  const person = await buildMember(guild, { linked: false, ...wish });
  const actor = chatUser(person.chatUserId, person.username);
  const { chatUserId } = person;
  const method = options.method ?? 'profile_code';
  const begun = await createVerification({ guildId: guild.guildId, method, chatUserId }, actor);
  return { ...guild, person, actor, ...begun };
}

/** Changes the guild's verification settings, from the defaults. */
export async function setVerification(guildId: string, change: Partial<GuildSettings['verification']>): Promise<void> {
  const verification = { ...defaultSettings.verification, ...change };
  await writeSettings(guildId, { ...defaultSettings, verification });
}

/** Puts a session's words into the person's profile. */
export async function writeAbout({ person, session }: Pick<Applicant, 'person' | 'session'>, about?: string) {
  const { roblox } = await world();
  roblox.setAbout(person.gameUserId, about ?? `hi, I am new here. ${session.phrase} :)`);
}

/** Plays the person on Roblox's consent page; returns the redirect's parameters. */
export async function consent({ session, person }: Pick<Applicant, 'session' | 'person'>, approve = true) {
  const { roblox } = await world();
  const back = new URL(roblox.authorize(session.authorizeUrl ?? '', person.gameUserId, approve));
  const { searchParams } = back;
  return { back, code: searchParams.get('code') ?? '', state: searchParams.get('state') ?? '' };
}

export function stored(token: string): Promise<StoredVerification> {
  return Verifications.findById(hashSecret(token)).orFail().lean<StoredVerification>().exec();
}

/**
 * Makes stored sessions older instead of moving the clock: discord.js keeps rate limits by the clock, and would wait
 * for hours.
 */
export async function age(which: { _id: string } | { chatUserId: string }, ms: number): Promise<void> {
  const earlier = (field: string) => ({ $subtract: [field, ms] });
  const until = { $cond: ['$proof', { id: '$proof.id', until: earlier('$proof.until'), by: '$proof.by' }, null] };
  const times = { createdAt: earlier('$createdAt'), expiresAt: earlier('$expiresAt'), proof: until };
  // Mongoose refuses a pipeline's operators as values, hence the driver's own collection.
  await Verifications.collection.updateMany(which as Record<string, unknown>, [{ $set: times }]);
}

/** A call's refusal; fails if it succeeds. */
export async function refusal(call: Promise<unknown>): Promise<AppError> {
  try {
    await call;
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error('the call was not refused');
}

/** Lets Roblox's hosts that match fail until the given function is called. */
export async function failRoblox(match: RegExp): Promise<() => void> {
  const { roblox } = await world();
  const end = roblox.inject({ match, status: 503 });
  return () => {
    end();
    // Starts over with closed breakers.
    configureRoblox(config().roblox);
  };
}
