import { trusted } from 'mongoose';
import { config } from '../../config/config.js';
import { LinkedGroups } from '../../core/groups/group-model.js';
import { type RankingFault, rankingFaultOf, readKeyRights } from '../../platforms/roblox/key-rights.js';
import { type Check, type Finding, fault, off, ok, warning } from './finding.js';

const permission = 'Manage lower-ranked member ranks';

const faults: Readonly<Record<RankingFault, (group: string) => [says: string, todo: string]>> = {
  scope_missing: (group) => [
    `Group ${group}: the key doesn't have the permission group:write.`,
    'Open https://create.roblox.com/dashboard/credentials → API Keys → the key → Access Permissions → Groups → Write.',
  ],
  outside: (group) => [
    `Group ${group}: the account of ROBLOX_API_KEY isn't in the group, or the group doesn't exist.`,
    `Let that account join and rank people, or correct RANKING_GROUPS.`,
  ],
  permission_missing: (group) => [
    `Group ${group}: the account of ROBLOX_API_KEY may not change ranks there.`,
    `On Roblox, open the group → Configure → Roles, and give the account's role "${permission}".`,
  ],
  rank_low: (group) => [
    `Group ${group}: the account of ROBLOX_API_KEY is ranked too low to rank anybody.`,
    'On Roblox, give that account a role above the ranks that the bot should give.',
  ],
};

/** The rights of the key in each group where ranks may be changed (ROBLOX-29). */
export const checkRanking: Check = {
  name: 'Ranking',
  async run() {
    const groups = [...config().rankingGroups];
    if (groups.length === 0) return [off("off, because RANKING_GROUPS isn't set.", 'ranking_off')];
    return Promise.all(groups.map(findingOf));
  },
};

async function findingOf(group: string): Promise<Finding> {
  const rights = await readKeyRights(group, { fresh: true });
  const found = rights === null ? 'scope_missing' : rankingFaultOf(rights);
  if (found === null) return ok(`Group ${group}: the key may change ranks.`, 'ranking_ok', { group });
  const [says, todo] = faults[found](group);
  return fault(`ranking_${found}`, says, todo, { group });
}

/** Groups for ranking without a server. Needs the database. */
export async function unattachedFindings(): Promise<Finding[]> {
  const wanted = [...config().rankingGroups];
  if (wanted.length === 0) return [];
  // By the servers' index, which is read whole once an hour: no other query asks across servers.
  const rows = await LinkedGroups.acrossGuilds
    .find({ groupId: trusted({ $in: wanted }) }, { groupId: 1, _id: 0 })
    .hint({ guildId: 1, groupId: 1 })
    .lean();
  const attached = rows.map(({ groupId }) => groupId);
  return wanted
    .filter((group) => !attached.includes(group))
    .map((group) => {
      const todo = 'Add the group in the dashboard of its server, or remove it from RANKING_GROUPS.';
      return warning('ranking_unattached', `No server has attached the group ${group} of RANKING_GROUPS.`, todo, {
        group,
      });
    });
}
