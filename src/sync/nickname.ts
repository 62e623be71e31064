import type { GameIdentity } from '../members/member-model.js';
import type { GroupRoles } from '../roblox/memberships.js';

/** Discord's limit for a nickname. It counts code points here, as SPEC §4 says; Discord takes no more of any kind. */
const longestNickname = 32;

/** `{groupRank:123}` and `{groupRole:123}` take the member's highest role in that group. */
const placeholder = /\{(?:(gameUsername|gameDisplayName|chatUsername)|(groupRank|groupRole):(\d+))\}/g;

/** The groups that a nickname template needs to know a person's roles in. */
export function groupIdsOfTemplate(template: string): string[] {
  return [...template.matchAll(placeholder)].flatMap((match) => match[3] ?? []);
}

/**
 * The nickname that a template gives a person: trimmed, cut to 32 code points, and never empty — then it is the game
 * username (SPEC §4 Settings).
 */
export function renderNickname(
  template: string,
  person: { game: GameIdentity; chatUsername: string; ranks: GroupRoles },
): string {
  const { game, chatUsername, ranks } = person;
  const plain: Record<string, string> = { ...game, chatUsername };
  const text = template.replace(placeholder, (_, name: string | undefined, kind: string, groupId: string) => {
    if (name !== undefined) return plain[name] ?? '';
    const highest = (ranks.get(groupId) ?? []).reduce((a, b) => (b.rank > a.rank ? b : a), { rank: 0, name: '' });
    return kind === 'groupRank' ? String(highest.rank) : highest.name;
  });
  return cut(text) || cut(game.gameUsername);
}

/** White space is folded as Discord folds it, so that what it answers is what was asked for. */
const cut = (text: string): string => [...text.replace(/\s+/gu, ' ').trim()].slice(0, longestNickname).join('').trim();
