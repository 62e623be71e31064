import { guildCommand } from '../src/edges/interactions/commands/command-in-guild.js';
import { offerVerification } from '../src/edges/interactions/commands/command-verify.js';

export const VerifyCommand = guildCommand('verify', {
  as: 'member',
  opensForm: true,
  run: (use) => offerVerification(use, false),
});
