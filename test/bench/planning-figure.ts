import { PermissionFlagsBits } from 'discord-api-types/v10';
import { defaultSettings } from '../../src/core/settings/guild-settings.js';
import type { GuildRules, MemberNow } from '../../src/features/sync/plan/guild-rules.js';
import { MemberPlanner } from '../../src/features/sync/plan/member-planner.js';
import type { DiscordRole, GuildFacts } from '../../src/platforms/discord/guild-facts.js';
import type { GroupRoles } from '../../src/platforms/roblox/memberships.js';
import { type Figure, percentile } from './figures.js';

const groupId = '7';
const members = 100_000;
const passesEach = 9;

const role = (roleId: string, position: number): DiscordRole => ({
  roleId,
  name: roleId,
  position,
  managed: false,
  permissions: PermissionFlagsBits.ManageRoles | PermissionFlagsBits.ManageNicknames,
});
const everyone = '100000000000000000';
const memberRole = '100000000000000001';
const officerRole = '100000000000000002';
const highestRole = role('100000000000000003', 3);
const facts: GuildFacts = {
  guildId: everyone,
  ownerId: '1',
  roles: new Map(
    [role(everyone, 0), role(memberRole, 1), role(officerRole, 2), highestRole].map((entry) => [entry.roleId, entry]),
  ),
  bot: { roleIds: [highestRole.roleId], permissions: highestRole.permissions, highestRole },
};
const rankMapping = (min: number, roleId: string): GuildRules['mappings'][number] => ({
  condition: { type: 'group_rank', groupId, min, max: 255 },
  roleIds: [roleId],
  removeWhenUnmatched: true,
});
const rules: GuildRules = {
  mappings: [rankMapping(1, memberRole), rankMapping(100, officerRole)],
  pausedRoleIds: [],
  settings: defaultSettings,
  restrictionsCeiling: null,
  groupIds: [groupId],
  traitsWanted: [],
  factsWanted: [],
  naming: [],
  missing: new Set(),
};
/** Equal ranks are one object, as they are when a guild's are read. */
const ranksOf = (rank: number): GroupRoles =>
  rank === 0 ? new Map() : new Map([[groupId, [{ gameRoleId: String(rank), name: String(rank), rank }]]]);
const memberRank = ranksOf(1);
const officerRank = ranksOf(100);

/**
 * Time to plan (judge and compare) 100,000 members in memory, against the least work that finds the members out of
 * step: per member the roles held, the set due, their difference, and the nickname.
 */
export function planningFigure(): Figure {
  const people = Array.from({ length: members }, (_, index) => memberAt(index));
  const differing = Math.ceil(members / 100);
  const times = { plan: [] as number[], difference: [] as number[] };
  for (let pass = 0; pass <= passesEach; pass += 1) {
    const plan = timed(() => planAll(people), differing);
    const difference = timed(() => compareAll(people), differing);
    // The first pass is for the compiler.
    if (pass === 0) continue;
    times.plan.push(plan);
    times.difference.push(difference);
  }
  const [measured, reference] = [percentile(times.plan, 0.5), percentile(times.difference, 0.5)];
  return { name: 'planning 100000 members / set difference', measured, reference, atMost: 2, unit: 'ms' };
}

function memberAt(index: number): MemberNow {
  const chatUserId = String(200_000_000_000_000_000n + BigInt(index));
  const isOfficer = index % 2 === 1;
  const roleIds = index % 100 === 0 ? [] : isOfficer ? [memberRole, officerRole] : [memberRole];
  const username = `bench${index}`;
  const nickname = `Bench${index}`;
  return {
    member: { chatUserId, username, nickname, roleIds },
    stored: { state: 'linked', givenNickname: nickname },
    game: { gameUserId: String(index), gameUsername: nickname, gameDisplayName: nickname },
    ranks: isOfficer ? officerRank : memberRank,
    traits: undefined,
  };
}

function planAll(people: readonly MemberNow[]): number {
  const planner = new MemberPlanner(rules);
  let differing = 0;
  for (const now of people) if (planner.plan(now, facts) !== null) differing += 1;
  return differing;
}

function compareAll(people: readonly MemberNow[]): number {
  const managed = new Set([memberRole, officerRole]);
  let differing = 0;
  for (const { member, game, ranks } of people) {
    const rank = ranks.get(groupId)?.[0]?.rank ?? 0;
    const held = new Set(member.roleIds);
    const desired = new Set(rank >= 100 ? [memberRole, officerRole] : rank >= 1 ? [memberRole] : []);
    let differs = member.nickname !== game?.gameUsername;
    for (const roleId of desired) if (!held.has(roleId)) differs = true;
    for (const roleId of held) if (managed.has(roleId) && !desired.has(roleId)) differs = true;
    if (differs) differing += 1;
  }
  return differing;
}

function timed(work: () => number, expected: number): number {
  const startedAt = performance.now();
  const found = work();
  const taken = performance.now() - startedAt;
  if (found !== expected) throw new Error(`${found} members were found to differ instead of ${expected}.`);
  return taken;
}
