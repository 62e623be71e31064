import type { Guild } from '../../../core/guilds/guild-service.js';
import { readGameUser } from '../../../platforms/roblox/game-users.js';
import { isOldEnough } from '../../accounts/account-age.js';
import type { KnownLink } from '../../accounts/missing-links.js';
import { DoubtfulGroups } from '../plan/doubtful-groups.js';
import { type PlannedMember, planGuild } from '../plan/guild-plan.js';
import { readRules } from '../plan/guild-rules.js';
import { hasWork } from '../plan/plan.js';

/** The changes that links not made yet would bring, as counts of people. */
export interface LinkEffects {
  gain: number;
  lose: number;
  renamed: number;
  kicked: number;
  /** People whose result Roblox leaves open: they are in no other count. */
  unknown: number;
  /** How many people would gain or lose each role. */
  roles: { roleId: string; gain: number; lose: number }[];
  /** A few people, those who lose something first. */
  people: readonly PlannedMember[];
}

const mostNamed = 3;
/** Creation dates are read one account at a time, so further links' dates stay open. */
const mostAgesRead = 100;

/**
 * Plans people as if they had these links, by the rules in force, and writes nothing. Throws GamePlatformUnavailable, ChatPlatformUnavailable, and the signal's reason.
 */
export async function planLinks(
  guild: Guild,
  links: ReadonlyMap<string, KnownLink>,
  signal: AbortSignal,
): Promise<LinkEffects> {
  const rules = await readRules(guild);
  const { settings } = rules;
  const { counting, open } = await byAge(links, settings.verification.minimumAccountAgeDays);
  const options = { rules, memberIds: [...counting.keys()], ranksAhead: true, assumed: counting };
  const doubtful = new DoubtfulGroups();
  const differing: PlannedMember[] = [];
  let unknown = open;
  for await (const planned of planGuild(guild, options, signal)) {
    const page = await doubtful.without(planned);
    differing.push(...page.differing);
    unknown += page.unknown;
  }
  return effectsOf(
    differing.filter(({ absentFrom, plan }) => hasWork(plan) && !absentFrom.some((id) => doubtful.gone.has(id))),
    unknown,
  );
}

/** The links with an account that is old enough, and how many have an age that is not read. */
async function byAge(links: ReadonlyMap<string, KnownLink>, minimumDays: number) {
  if (minimumDays === 0) return { counting: links, open: 0 };
  const counting = new Map<string, KnownLink>();
  const read = [...links].slice(0, mostAgesRead);
  for (const [chatUserId, link] of read) {
    const made = (await readGameUser(link.gameUserId))?.createdAt;
    if (isOldEnough(made, minimumDays)) counting.set(chatUserId, link);
  }
  return { counting, open: links.size - read.length };
}

function effectsOf(differing: readonly PlannedMember[], unknown: number): LinkEffects {
  const those = (are: (planned: PlannedMember) => boolean): number => differing.filter(are).length;
  const roles = new Map<string, LinkEffects['roles'][number]>();
  const count = (roleId: string, what: 'gain' | 'lose') => {
    const role = roles.get(roleId) ?? { roleId, gain: 0, lose: 0 };
    role[what] += 1;
    roles.set(roleId, role);
  };
  for (const { plan } of differing) {
    for (const roleId of plan.add) count(roleId, 'gain');
    for (const roleId of plan.remove) count(roleId, 'lose');
  }
  return {
    gain: those(({ plan }) => plan.add.length > 0),
    lose: those(({ plan }) => plan.remove.length > 0),
    renamed: those(({ plan }) => plan.nickname !== undefined),
    kicked: those(({ plan }) => plan.kick !== undefined),
    unknown,
    roles: [...roles.values()].sort((a, b) => b.lose - a.lose || b.gain - a.gain),
    people: [...differing].sort((a, b) => weightOf(b) - weightOf(a)).slice(0, mostNamed),
  };
}

const weightOf = ({ plan: { kick, remove, add } }: PlannedMember): number =>
  kick !== undefined ? 3 : remove.length > 0 ? 2 : Math.min(add.length, 1);
