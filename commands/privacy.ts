import { guildCommand } from '../src/edges/interactions/commands/command-in-guild.js';
import { consentReply } from '../src/edges/interactions/replies/reply-consent.js';
import { consentIn } from '../src/features/accounts/consents.js';

export const PrivacyCommand = guildCommand('privacy', {
  as: 'member',
  run: async ({ guild, actor }) => consentReply(await consentIn(guild._id, actor.id)),
});
