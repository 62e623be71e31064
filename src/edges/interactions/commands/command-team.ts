import type { SlashCommandSubcommandBuilder } from 'discord.js';
import { grantableRole } from '../../../core/actors/team-roles.js';
import { notifyInvitee } from '../../../features/team/invitation-message.js';
import { changeTeammate, inviteTeammate, removeTeammate } from '../../../features/team/team-changes.js';
import { t } from '../../../lib/translate.js';
import { spendInDiscord } from '../../http/rate-limits.js';
import { card, type Reply } from '../replies/reply.js';
import { teammateLine } from '../replies/reply-team.js';
import type { CommandUse } from './command-in-guild.js';

export function addPersonOption(command: SlashCommandSubcommandBuilder): SlashCommandSubcommandBuilder {
  return command.addUserOption((person) =>
    person.setName('person').setDescription(t('option.team_person')).setRequired(true),
  );
}

export function addRoleOptions(command: SlashCommandSubcommandBuilder): SlashCommandSubcommandBuilder {
  const choices = grantableRole.options.map((value) => ({ name: `${value}: ${t(`team.is_${value}`)}`, value }));
  return addPersonOption(command).addStringOption((role) =>
    role.setName('role').setDescription(t('option.team_role')).setRequired(true).addChoices(choices),
  );
}

/** Invites a person by direct message, as the API does. Throws as `inviteTeammate` does, and RateLimited. */
export async function invite(use: CommandUse): Promise<Reply> {
  const { guild, actor } = use;
  const wish = readWish(use);
  await spendInDiscord(actor.id, 'invitation');
  const teammate = await inviteTeammate(guild, actor, wish);
  const isNotified = await notifyInvitee(guild, actor, wish);
  const lines = [t('team.invited'), teammateLine(teammate), t(isNotified ? 'team.was_told' : 'team.was_not_told')];
  return card(t('team.title'), lines, isNotified ? 'fine' : 'attention', []);
}

/** Gives a teammate another role. Throws as `changeTeammate` does. */
export async function change(use: CommandUse): Promise<Reply> {
  const { chatUserId, role } = readWish(use);
  const teammate = await changeTeammate(use.guild, use.actor, chatUserId, role);
  return card(t('team.title'), [t('team.changed'), teammateLine(teammate)], 'fine', []);
}

/** Removes a teammate or an invitation. Removing oneself needs no particular role. Throws as `removeTeammate` does. */
export async function remove({ guild, actor, options }: CommandUse): Promise<Reply> {
  const { id } = options.getUser('person', true);
  await removeTeammate(guild, actor, id);
  return card(t('team.title'), [t(id === actor.id ? 'team.left' : 'team.removed')], 'fine', []);
}

const readWish = ({ options }: CommandUse) => ({
  chatUserId: options.getUser('person', true).id,
  role: grantableRole.parse(options.getString('role', true)),
});
