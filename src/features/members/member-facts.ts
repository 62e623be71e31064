import { z } from 'zod';
import { timestamp } from '../../lib/fields.js';
import { factKey, factValue, noFacts, type ReportedFacts } from '../mappings/reported-facts.js';

/** Most facts about one person in one server (FACT-3). */
export const mostFacts = 20;

/** A fact as its server's game reported it last. */
const storedFact = z.strictObject({
  key: z.string(),
  value: factValue,
  /** Exact to a minute: the same word within one is not stored again. */
  at: z.date(),
  /** The highest role of the author at that time; null if they are above every role. It limits the roles (FACT-14). */
  ceilingRoleId: z.string().nullable(),
});
export type StoredFact = z.output<typeof storedFact>;

/** All facts about the account that a member uses. A list, so that no key is ever a field's name. */
export const memberFactsFields = z.strictObject({
  gameUserId: z.string(),
  /** New at each write: simultaneous reports don't lose one another's facts. */
  rev: z.string(),
  values: z.array(storedFact),
});

interface WithFacts {
  gameUserId?: string;
  facts?: z.output<typeof memberFactsFields>;
}

/** The facts about the account that a member uses now. Pure. */
export const factsOf = ({ facts, gameUserId }: WithFacts): readonly StoredFact[] =>
  facts !== undefined && facts.gameUserId === gameUserId ? facts.values : [];

/** Their values by key. Pure. */
export function valuesOf(facts: readonly StoredFact[]): ReportedFacts {
  return facts.length === 0 ? noFacts : new Map(facts.map(({ key, value }) => [key, value]));
}

export const reportedFactView = z
  .strictObject({ key: factKey, value: factValue, reportedAt: timestamp.describe('Exact to a minute.') })
  .meta({ id: 'ReportedFact' });

/** A member's facts by key. Pure. */
export const viewFacts = (member: WithFacts): z.input<typeof reportedFactView>[] =>
  factsOf(member)
    .map(({ key, value, at }) => ({ key, value, reportedAt: at.toISOString() }))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
