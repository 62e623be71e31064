import { z } from 'zod';
import { guildSettings, verificationMethod } from '../../core/settings/guild-settings.js';
import { lineOfText } from '../../lib/fields.js';
import { snowflake } from '../../lib/ids.js';
import { Remembered } from '../../platforms/database/remembered.js';
import { panelLook } from './panel-look.js';

/** The steps of /setup, in order. */
export const setupStep = z.enum(['place', 'group', 'ranks', 'verified', 'panel', 'summary']);
export type SetupStep = z.output<typeof setupStep>;

/** Maximum roles chosen for ranks: the ranks that a group on Roblox can have. */
export const mostRankRoles = 255;

/** A rank in the setup's group, and the Discord role chosen for it. */
export const rankRole = z.strictObject({ gameRoleId: lineOfText(20), roleId: snowflake });
export type ChosenRole = z.output<typeof rankRole>;

/** A guild's setup choices so far. They take effect only when the setup is applied (DISC-24). */
const setupFields = z.strictObject({
  guildId: z.string(),
  step: setupStep,
  /** The Roblox group with ranks that get roles; null: none. */
  groupId: z.string().nullable(),
  /** Roles chosen for ranks that have no role by their name (DASH-41). Older versions' setups have none. */
  rankRoles: z.array(rankRole).exactOptional(),
  /** The Discord role for all verified members; null: none. */
  verifiedRoleId: z.string().nullable(),
  nickname: guildSettings.shape.nickname,
  methods: z.array(verificationMethod),
  /** Where the panel is posted; null: nowhere. */
  channelId: z.string().nullable(),
  panel: panelLook,
});
export type Setup = z.output<typeof setupFields>;

/** A setup as stored, including the database's own fields. */
export const storedSetup = setupFields.strip();

/** Guilds' setups, each until it is applied or ended. */
export const setups = new Remembered<Omit<Setup, 'guildId'>>('setup');
