import { z } from 'zod';
import type { Actor } from '../../core/actors/actor.js';
import { groupReference } from '../../core/groups/group-reference.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import { guildSettings } from '../../core/settings/guild-settings.js';
import { requireMeaningful } from '../../core/settings/settings-rules.js';
import { readSettings } from '../../core/settings/settings-service.js';
import { snowflake } from '../../lib/ids.js';
import { panelLook } from './panel-look.js';
import { requirePanelChannel } from './panel-service.js';
import { mostRankRoles, rankRole } from './setup-model.js';
import { settingsOf } from './setup-outcome.js';
import {
  changeSetup,
  chooseGroup,
  chooseRankRoles,
  chooseVerifiedRole,
  openSetup,
  type Setup,
} from './setup-service.js';

const { nickname, verification } = guildSettings.shape;

/** The body of PATCH …/setup: the choices to change (DASH-41). */
export const setupChange = z
  .strictObject({
    group: groupReference
      .nullable()
      .exactOptional()
      .describe('The Roblox group, which is attached where it is not; null: none.'),
    rankRoles: z
      .array(rankRole)
      .max(mostRankRoles)
      .refine(
        (all) => new Set(all.map(({ gameRoleId }) => gameRoleId)).size === all.length,
        'must not name a rank twice',
      )
      .exactOptional()
      .describe('All roles chosen for ranks that have no role of their name.'),
    verifiedRoleId: snowflake.nullable().exactOptional().describe('The role of all verified members; null: none.'),
    nickname: nickname.exactOptional(),
    methods: verification.shape.methods.exactOptional(),
    channelId: snowflake.nullable().exactOptional().describe('Where the panel is posted; null: nowhere.'),
    panel: panelLook.exactOptional(),
  })
  .meta({ id: 'SetupChange' });
export type SetupChange = z.output<typeof setupChange>;

/**
 * Changes choices in a guild's setup, by the same rules as /setup. Throws InvalidRequest, Forbidden for roles that are
 * not below the actor's own highest, Conflict `busy`, ChatPlatformUnavailable, and as `addGroup` does.
 */
export async function changeChoices(guild: Guild, actor: Actor, change: SetupChange): Promise<Setup> {
  const { group, rankRoles, verifiedRoleId, ...plain } = change;
  const before = await openSetup(guild, null);
  if (plain.channelId) await requirePanelChannel(guild._id, actor, plain.channelId);
  await requireSettings(guild, actor, { ...before, ...plain });
  if (group === null) await changeSetup(guild._id, { groupId: null, rankRoles: [] });
  else if (group !== undefined) await chooseGroup(guild, actor, 'url' in group ? group.url : group.groupId);
  if (rankRoles !== undefined) await chooseRankRoles(guild, actor, rankRoles);
  if (verifiedRoleId !== undefined) await chooseVerifiedRole(guild, actor, verifiedRoleId);
  return changeSetup(guild._id, plain);
}

async function requireSettings(guild: Guild, actor: Actor, setup: Setup): Promise<void> {
  const settings = await readSettings(guild._id);
  await requireMeaningful(guild, actor, settings, settingsOf(setup, settings));
}
