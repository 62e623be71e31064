import { z } from 'zod';
import type { Actor } from '../../core/actors/actor.js';
import { type DraftOwner, dropDraft, keepDraft, readDraft } from '../../core/drafts/review-drafts.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import { VersionMismatch } from '../../lib/errors.js';
import { newId } from '../../lib/ids.js';
import { seal, unseal } from '../../lib/sealed-secrets.js';
import { linkSource } from '../../platforms/link-sources/link-sources.js';
import type { PeopleImport } from './people-import-model.js';
import { type ProposedImport, proposeImport } from './people-import-review.js';
import { startImport } from './people-import-service.js';
import { type NicknameChoice, type PeopleImportDraft, pair } from './people-list.js';

/** A review's content: the list, or the other bot with its key sealed; and the key for the numbers. */
const reviewedPeople = z.union([
  z.strictObject({ people: z.array(pair), reviewKey: z.string() }),
  z.strictObject({ source: linkSource, salt: z.string(), sealedKey: z.string(), reviewKey: z.string() }),
]);

export type GivenPeople =
  | Pick<Extract<PeopleImportDraft, { people: unknown }>, 'people'>
  | Pick<Extract<PeopleImportDraft, { key: string }>, 'source' | 'key'>;

/** A people import's effect. `key` names exactly that for its confirmation; null without imported people. */
export interface PeopleReview {
  proposed: ProposedImport;
  key: string | null;
}

const draftOf = (guild: Guild, person: Actor): DraftOwner => ({
  guildId: guild._id,
  chatUserId: person.id,
  kind: 'people',
});

/**
 * Shows a people import's effect, and keeps that for the person's confirmation (DISC-18). Another bot's key is kept
 * sealed. Throws as `proposeImport` does.
 */
export async function reviewPeople(guild: Guild, person: Actor, given: GivenPeople): Promise<PeopleReview> {
  const proposed = await proposeImport(guild, person, { ...given, dryRun: true, nicknames: 'set' });
  if (proposed.new + proposed.known === 0) return { proposed, key: null };
  const { reviewKey } = proposed;
  const salt = newId('pim');
  const shown: z.output<typeof reviewedPeople> =
    'people' in given
      ? { people: given.people, reviewKey }
      : { source: given.source, salt, sealedKey: await seal({ key: given.key }, sealedFor(salt)), reviewKey };
  return { proposed, key: await keepDraft(draftOf(guild, person), shown) };
}

/**
 * Shows the review under `key` again. Throws NotFound `nothing_to_answer` for a key that does not wait for this person,
 * and as `proposeImport` does.
 */
export async function reviewAgain(guild: Guild, person: Actor, key: string): Promise<PeopleReview> {
  return reviewPeople(guild, person, await readGiven(draftOf(guild, person), key));
}

async function readGiven(owner: DraftOwner, key: string): Promise<GivenPeople> {
  const { reviewKey: _, ...content } = await readDraft(owner, key, reviewedPeople);
  return 'people' in content ? content : openedOf(content);
}

const sealedFor = (salt: string) => ({ purpose: 'people-import', salt }) as const;

/**
 * Begins the import that a review has shown. If its numbers have changed since, nothing is imported and the new review is
 * returned. Throws NotFound `nothing_to_answer` for a key that does not wait for this person, and as `startImport` does.
 */
export async function importReviewedPeople(
  guild: Guild,
  person: Actor,
  key: string,
  nicknames: NicknameChoice,
): Promise<{ started: PeopleImport } | { review: PeopleReview }> {
  const owner = draftOf(guild, person);
  const { reviewKey, ...content } = await readDraft(owner, key, reviewedPeople);
  const given = 'people' in content ? content : await openedOf(content);
  try {
    const started = await startImport(guild, person, { ...given, dryRun: false, reviewKey, nicknames });
    await dropDraft(owner, key);
    return { started };
  } catch (error) {
    if (!(error instanceof VersionMismatch)) throw error;
    return { review: await reviewPeople(guild, person, given) };
  }
}

type SealedSource = Omit<Extract<z.output<typeof reviewedPeople>, { salt: string }>, 'reviewKey'>;

async function openedOf({ source, salt, sealedKey }: SealedSource): Promise<GivenPeople> {
  const { key } = await unseal(z.object({ key: z.string() }), sealedKey, sealedFor(salt));
  return { source, key };
}
