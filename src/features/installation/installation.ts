import { z } from 'zod';
import { config } from '../../config/config.js';
import { type PlanName, planName, plans } from '../../core/plans/plans.js';
import { buildVersion } from '../../lib/build-version.js';
import { AppError } from '../../lib/errors.js';
import { locale } from '../../lib/translate.js';
import { applicationId, inviteLink } from '../../platforms/discord/own-application.js';
import { planLimits } from '../billing/billing-view.js';

/** This installation's features, public (API-58): no secret, and nothing about its users. */
export const installationView = z
  .strictObject({
    version: z.string().describe('Of Rolelink, such as 0.1.0.'),
    commit: z.string().describe('The commit of the build, in 12 digits; unknown if the build had no repository.'),
    inviteUrl: z
      .url()
      .nullable()
      .describe("Adds the bot to a server; null until Discord has returned the bot's application."),
    signIn: z.boolean().describe('Whether people can sign in on the web.'),
    robloxSignIn: z.boolean().describe('Whether people can verify by signing in on Roblox.'),
    robloxKey: z.boolean().describe('Whether ranks are read with an Open Cloud key, and so sooner.'),
    webhookDelivery: z.enum(['live', 'held']).describe('held: webhook deliveries are stored and not made.'),
    billing: z.boolean().describe('Whether plans are sold here.'),
    defaultPlan: planName.describe('The plan of a server that pays for none.'),
    plans: z.array(z.strictObject({ name: planName, limits: planLimits })).describe('The smallest first.'),
    languages: z.array(locale).describe("The languages of the bot and of this API's refusals."),
  })
  .meta({ id: 'Installation' });

export async function readInstallation(): Promise<z.input<typeof installationView>> {
  const { discord, roblox, stripe, webhookDelivery, defaultPlan } = config();
  return {
    ...buildVersion(),
    inviteUrl: await inviteUrl(),
    signIn: discord.clientSecret !== undefined,
    robloxSignIn: roblox.oauth !== undefined,
    robloxKey: roblox.apiKey !== undefined,
    webhookDelivery,
    billing: stripe !== undefined,
    defaultPlan,
    plans: planName.options.map((name: PlanName) => ({ name, limits: { ...plans[name] } })),
    languages: [...locale.options],
  };
}

/** The address that adds the bot to a server; null until Discord has reported the bot's application. */
export async function inviteUrl(guildId?: string): Promise<string | null> {
  try {
    return inviteLink(await applicationId(), guildId);
  } catch (error) {
    if (error instanceof AppError && error.kind === 'unavailable') return null;
    throw error;
  }
}
