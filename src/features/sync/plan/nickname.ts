import { LRUCache } from 'lru-cache';
import { placeholder } from '../../../core/settings/nickname-template.js';
import { isInvisible } from '../../../lib/invisible.js';
import type { GroupRoles } from '../../../platforms/roblox/memberships.js';
import type { GameIdentity } from '../../members/member-model.js';

/** Discord's limit for a nickname. It counts code points here (MAP-23); Discord accepts no more in any unit. */
const longestNickname = 32;

interface Person {
  game: GameIdentity;
  chatUsername: string;
  ranks: GroupRoles;
}

/** A parsed template, since a guild with 100,000 members renders it as often. */
type Part = string | ((person: Person) => string);
const parsed = new LRUCache<string, Part[]>({ max: 1_000, memoMethod: parse });

/**
 * The nickname by a template: trimmed, cut to 32 code points. An empty one is replaced by the game username (MAP-23).
 */
export function renderNickname(template: string, person: Person): string {
  let text = '';
  for (const part of parsed.memo(template)) text += typeof part === 'string' ? part : part(person);
  return isInvisible(text) ? cut(person.game.gameUsername) : cut(text);
}

function parse(template: string): Part[] {
  const parts: Part[] = [];
  let end = 0;
  for (const match of template.matchAll(placeholder)) {
    const [whole, name, kind, groupId = ''] = match;
    parts.push(template.slice(end, match.index), name === undefined ? rankPart(kind, groupId) : namePart(name));
    end = match.index + whole.length;
  }
  return [...parts, template.slice(end)];
}

function namePart(name: string): Part {
  if (name === 'chatUsername') return ({ chatUsername }) => chatUsername;
  return name === 'gameUsername' ? ({ game }) => game.gameUsername : ({ game }) => game.gameDisplayName;
}

function rankPart(kind: string | undefined, groupId: string): Part {
  return ({ ranks }) => {
    const highest = (ranks.get(groupId) ?? []).reduce((a, b) => (b.rank > a.rank ? b : a), { rank: 0, name: '' });
    return kind === 'groupRank' ? String(highest.rank) : highest.name;
  };
}

/** White space is folded as Discord folds it, so that Discord's answer equals the request. */
function cut(text: string): string {
  const folded = /\s/u.test(text) ? text.replace(/\s+/gu, ' ').trim() : text;
  return folded.length <= longestNickname ? folded : [...folded].slice(0, longestNickname).join('').trim();
}
