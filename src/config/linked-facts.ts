import { z } from 'zod';
import { gameId } from '../lib/ids.js';

/** The facts about a Roblox account that Linked Roles can use. The last two are about a group. */
const factKinds = ['verified', 'premium', 'account_age', 'rank', 'member_since'] as const;
export type FactKind = (typeof factKinds)[number];

/** A fact that the operator publishes to Discord for Linked Roles (LINK-1). */
export interface LinkedFact {
  kind: FactKind;
  /** For `rank` and `member_since`: the Roblox group. */
  groupId?: string;
  /** Its key in Discord's metadata. */
  key: string;
  /** The name shown to server owners, if the operator has chosen one. */
  name?: string;
}

/** Discord's maximum per application. */
const mostFacts = 5;
const aboutGroup: readonly FactKind[] = ['rank', 'member_since'];
/** The facts that Roblox returns only with a key. */
export const factsWithKey: readonly FactKind[] = ['premium', 'member_since'];

/** `verified, rank:1234567=Rank in Pine Crew, account_age`: each fact's kind, group and name, separated by commas. */
export const linkedFacts = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim()))
  .pipe(z.array(z.string().transform(toFact)).max(mostFacts, `must name at most ${mostFacts} facts`))
  .refine((facts) => new Set(facts.map(({ key }) => key)).size === facts.length, {
    error: 'must not name a fact twice',
    when: ({ issues }) => issues.length === 0,
  });

function toFact(
  text: string,
  { addIssue }: { addIssue(issue: { code: 'custom'; message: string }): void },
): LinkedFact {
  const [head = '', ...rest] = text.split('=');
  const [word = '', groupId, ...more] = head.trim().split(':');
  const refuse = (message: string): never => {
    addIssue({ code: 'custom', message });
    return z.NEVER;
  };
  const kind = factKinds.find((known) => known === word);
  if (kind === undefined) return refuse(`"${word}" isn't one of ${factKinds.join(', ')}`);
  const isAboutGroup = aboutGroup.includes(kind);
  if (more.length > 0 || isAboutGroup !== (groupId !== undefined)) {
    return refuse(isAboutGroup ? `${kind} needs the ID of a Roblox group: ${kind}:1234567` : `${kind} takes no group`);
  }
  if (groupId !== undefined && !gameId.safeParse(groupId).success)
    return refuse(`"${groupId}" isn't a Roblox group ID`);
  const name = rest.join('=').trim();
  if (rest.length > 0 && (name === '' || name.length > 100))
    return refuse(`the name of ${head} must have 1 to 100 characters`);
  const key = groupId === undefined ? kind : `${kind}_${groupId}`;
  return { kind, key, ...(groupId !== undefined && { groupId }), ...(rest.length > 0 && { name }) };
}
