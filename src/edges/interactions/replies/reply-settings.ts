import { ButtonStyle, channelMention, inlineCode, roleMention, userMention } from 'discord.js';
import type { Actor } from '../../../core/actors/actor.js';
import type { Guild } from '../../../core/guilds/guild-service.js';
import type { GuildSettings } from '../../../core/settings/guild-settings.js';
import { isRestrictive, type Restrictions } from '../../../core/settings/restrictions.js';
import { readVersionedSettings } from '../../../core/settings/settings-service.js';
import { findSpared } from '../../../features/sync/member/spared-members.js';
import { automaticEveryHours } from '../../../features/sync/resync/resync-schedule.js';
import { type TextKey, t, withLocale } from '../../../lib/translate.js';
import { onOneLine, verbatim } from '../../../platforms/discord/channel-messages.js';
import { componentId } from '../component-id.js';
import { list, pressButton, type Reply } from './reply.js';

/** All current settings. The owner also sees that restrictions spare them until they confirm them (RESTR-18). */
export async function settingsView(guild: Guild, { role }: Pick<Actor, 'role'>): Promise<Reply> {
  const versioned = await readVersionedSettings(guild._id);
  const { settings, version } = versioned;
  const { count, chatUserIds } = await findSpared(guild._id, versioned);
  const reply = settingsReply(guild, settings);
  if (count === 0) return reply;
  const people = chatUserIds.map((id) => userMention(id)).join(' ');
  const buttonId = componentId('restrictions-confirm', String(version));
  const buttons = role === 'owner' ? [pressButton(buttonId, t('restriction.confirm'), ButtonStyle.Danger)] : [];
  const spared = list(
    t('restriction.spared_title'),
    [t('restriction.spared', { count, people })],
    buttons,
    'attention',
  );
  return { ...spared, embeds: [...reply.embeds, ...spared.embeds] };
}

/** A guild's settings in words, as its plan limits them. */
export function settingsReply(guild: Guild, settings: GuildSettings, title: TextKey = 'settings.title'): Reply {
  const {
    verification,
    nickname,
    bypass,
    restrictions,
    unlink,
    massRemoval,
    autoLinkOnJoin,
    waitForRules,
    trustDiscordAdmins,
    logChannelId,
  } = settings;
  const lines = [
    t('settings.mode', { state: t(`settings.mode_${settings.mode}`) }),
    t('settings.verification', {
      state: onOrOff(verification.enabled),
      methods: verification.methods.map((method) => t(`settings.method.${method}`)).join(', '),
    }) + atLeastDays(verification.minimumAccountAgeDays),
    t('settings.nickname', { state: onOrOff(nickname.enabled), template: templateInWords(nickname.template) }),
    t('settings.keep_roles', { roles: rolesOrNone(bypass.keepRoles) }),
    t('settings.keep_nickname', { roles: rolesOrNone(bypass.keepNickname) }),
    restrictionsInWords(restrictions),
    joinMessageLine(settings.joinMessage),
    t('settings.link_on_join', { state: onOrOff(autoLinkOnJoin) }),
    t('settings.wait_for_rules', { state: onOrOff(waitForRules) }),
    t('settings.reveal', { state: t(`settings.reveal_${settings.reveal}`) }),
    t('settings.accounts', { state: t(`settings.accounts_${settings.accounts}`) }),
    t('settings.unlink_takes_roles', { state: onOrOff(unlink.removeRoles) }),
    t('settings.unlink_resets_nickname', { state: onOrOff(unlink.resetNickname) }),
    t('settings.automatic_resync', {
      state: t('settings.every_hours', { hours: automaticEveryHours(guild, settings) }),
    }),
    t('settings.mass_removal', { percent: massRemoval.sharePercent, people: massRemoval.people }),
    t('settings.universes', { universes: settings.universeIds.join(', ') || t('settings.none') }),
    t('settings.log_channel', { channel: logChannelId === null ? t('settings.none') : channelMention(logChannelId) }),
    t('settings.trust_discord_admins', { state: onOrOff(trustDiscordAdmins) }),
    t('settings.language', { language: withLocale(settings.locale, () => t('settings.this_language')) }),
  ];
  return list(t(title), lines, [], title === 'settings.changed' ? 'fine' : 'neutral');
}

function joinMessageLine({ to, channelId, text }: GuildSettings['joinMessage']): string {
  const place = to === 'channel' && channelId !== null ? channelMention(channelId) : t(`option.join_to.${to}`);
  if (to === 'none') return t('settings.join_message', { place });
  return t('settings.join_message', {
    place: `${place} · ${text === null ? t('settings.usual_words') : verbatim(text)}`,
  });
}

/** Shows the template as inline code, where Discord renders no Markdown, unless it contains a backtick. */
export const templateInWords = (template: string): string =>
  template.includes('`') ? verbatim(template) : inlineCode(onOneLine(template));

function restrictionsInWords(wish: Restrictions): string {
  if (!isRestrictive(wish)) return t('settings.no_restrictions');
  const { minimumAccountAgeDays: days, requiredGroupIds, deniedGroupIds, deniedGameUserIds, reason } = wish;
  const rules = [
    days > 0 && t('settings.restrict_younger', { days }),
    requiredGroupIds.length > 0 && t('settings.restrict_required', { required: requiredGroupIds.join(', ') }),
    deniedGroupIds.length > 0 && t('settings.restrict_denied', { denied: deniedGroupIds.join(', ') }),
    deniedGameUserIds.length > 0 && t('settings.restrict_users', { users: deniedGameUserIds.slice(0, 20).join(', ') }),
    reason !== null && t('settings.restrict_reason', { reason: verbatim(reason) }),
  ].filter((rule) => rule !== false);
  return t('settings.restrictions', { action: t(`settings.restrict_${wish.action}`), rules: rules.join(' · ') });
}

const atLeastDays = (days: number): string => (days === 0 ? '' : ` · ${t('settings.account_age', { days })}`);

const onOrOff = (on: boolean): string => t(on ? 'settings.on' : 'settings.off');

const rolesOrNone = (roleIds: readonly string[]): string =>
  roleIds.length === 0 ? t('settings.none') : roleIds.map((id) => roleMention(id)).join(', ');
