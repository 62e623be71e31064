import { z } from 'zod';
import { consentState, type GuildConsent } from './consents.js';

export const guildConsentView = z
  .strictObject({
    guildId: z.string(),
    name: z.string(),
    iconUrl: z.string().nullable(),
    state: consentState.describe(
      '`shown`: the caller is linked there, and the server sees their account; `agreed`: it may, and is still without a link; `hidden`: it may not; `unanswered`: the caller has not said.',
    ),
  })
  .meta({ id: 'GuildConsent' });

export function viewConsent({ guild, state }: GuildConsent): z.input<typeof guildConsentView> {
  const { _id: guildId, name, iconUrl } = guild;
  return { guildId, name, iconUrl, state };
}
