import type { DiscordSandbox } from '../discord/discord-sandbox.js';
import type { RobloxSandbox } from '../roblox/roblox-sandbox.js';
import type { StripeSandbox } from '../stripe/stripe-sandbox.js';

/**
 * The environment for a service that talks to these sandboxes instead of to the platforms; without Stripe, no billing.
 */
export function sandboxEnvironment(
  discord: DiscordSandbox,
  roblox: RobloxSandbox,
  stripe?: StripeSandbox,
): Record<string, string> {
  return {
    DISCORD_TOKEN: discord.application.botToken,
    DISCORD_CLIENT_ID: discord.application.id,
    DISCORD_CLIENT_SECRET: discord.application.clientSecret,
    DISCORD_API_URL: discord.apiUrl,
    ROBLOX_CLIENT_ID: roblox.oauth.clientId,
    ROBLOX_CLIENT_SECRET: roblox.oauth.clientSecret,
    ROBLOX_API_KEY: roblox.apiKey,
    ROBLOX_WEBHOOK_SECRET: roblox.webhookSecret,
    ROBLOX_USERS_URL: roblox.usersUrl,
    ROBLOX_GROUPS_URL: roblox.groupsUrl,
    ROBLOX_APIS_URL: roblox.apisUrl,
    ROBLOX_THUMBNAILS_URL: roblox.thumbnailsUrl,
    ...(stripe && {
      STRIPE_SECRET_KEY: stripe.secretKey,
      STRIPE_WEBHOOK_SECRET: stripe.webhookSecret,
      STRIPE_PRICE_PRO: stripe.prices.pro.id,
      STRIPE_PRICE_ENTERPRISE: stripe.prices.enterprise.id,
      STRIPE_API_URL: stripe.url,
    }),
  };
}
