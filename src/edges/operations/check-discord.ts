import { config } from '../../config/config.js';
import { acceptsClient } from '../../lib/oauth-client-check.js';
import { ConfigError } from '../../lib/start-error.js';
import {
  inviteLink,
  type OwnApplication,
  readOwnApplication,
  servedGuilds,
} from '../../platforms/discord/own-application.js';
import { type Check, type Finding, fault, off, ok, warning } from './finding.js';

const portalOf = ({ applicationId }: OwnApplication): string =>
  `https://discord.com/developers/applications/${applicationId}`;
const named = 5;

export const checkToken: Check = {
  name: 'Discord application',
  async run() {
    try {
      const application = await readOwnApplication();
      const { clientId } = config().discord;
      const findings = [
        ok(`DISCORD_TOKEN belongs to the application ${application.name}.`, 'discord_token_ok', {
          name: application.name,
        }),
      ];
      if (clientId !== undefined && clientId !== application.applicationId) {
        const says = `DISCORD_CLIENT_ID doesn't belong to the application ${application.applicationId}, which DISCORD_TOKEN belongs to.`;
        findings.push(
          fault('discord_client_id_wrong', says, 'Leave DISCORD_CLIENT_ID empty.', { id: application.applicationId }),
        );
      }
      if (!application.seesMembers) findings.push(intentOff(application));
      return findings;
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      const todo = 'Open https://discord.com/developers/applications → your application → Bot → Reset Token.';
      return [fault('discord_token_refused', 'Discord rejects DISCORD_TOKEN.', todo)];
    }
  },
};

const intentOff = (application: OwnApplication): Finding =>
  warning(
    'discord_intent_off',
    'The "Server Members" intent is off. Rolelink turns it on when it starts, if Discord allows it.',
    `Open ${portalOf(application)}/bot → Privileged Gateway Intents → Server Members Intent.`,
    { link: portalOf(application) },
  );

/** Web sign-in: the client secret and the registered redirect address. */
export const checkSignIn: Check = {
  name: 'Web sign-in',
  async run() {
    const { clientSecret, apiUrl } = config().discord;
    if (clientSecret === undefined)
      return [off("off, because DISCORD_CLIENT_SECRET isn't set.", 'discord_sign_in_off')];
    const application = await readOwnApplication();
    const link = portalOf(application);
    const todo = `Open ${link}/oauth2`;
    const redirect = `${config().publicUrl}/api/auth/callback`;
    const findings: Finding[] = [];
    const tokenUrl = `${apiUrl}/v10/oauth2/token`;
    if (!(await acceptsClient(tokenUrl, application.applicationId, clientSecret, { redirect_uri: redirect }))) {
      const says = 'Discord rejects DISCORD_CLIENT_SECRET.';
      findings.push(fault('discord_secret_wrong', says, `${todo} → Client Secret → Reset Secret.`, { link }));
    }
    if (!application.redirectUris.includes(redirect)) {
      const says = "The redirect isn't registered, so nobody could sign in with Discord.";
      findings.push(
        fault('discord_redirect_missing', says, `${todo} → Redirects → Add Redirect: ${redirect}`, { link, redirect }),
      );
    }
    return findings.length > 0 ? findings : [ok('secret and redirect are correct.', 'discord_sign_in_ok')];
  },
};

/** The bot's permissions in its servers; each server's health lists roles that are too high. */
export const checkPermissions: Check = {
  name: 'Bot permissions',
  async run() {
    const application = await readOwnApplication();
    const guilds = await servedGuilds();
    const lacking = guilds.filter(({ lacks }) => lacks.length > 0);
    const link = inviteLink(application.applicationId);
    const count = guilds.length;
    if (count === 0)
      return [ok(`the bot isn't in any server yet. Invite it: ${link}`, 'discord_permissions_no_server', { link })];
    if (lacking.length === 0)
      return [ok(`nothing is missing. Servers: ${count.toLocaleString('en')}.`, 'discord_permissions_ok', { count })];
    const names = lacking.slice(0, named).map(({ name, lacks }) => `${name} (${lacks.join(', ')})`);
    const more = lacking.length > named ? `, +${lacking.length - named}` : '';
    const servers = `${names.join(', ')}${more}`;
    const todo = `In each: Server Settings → Roles → the bot's role → Permissions. Or invite it again: ${link}`;
    return [
      warning('discord_permissions_missing', `The bot is missing permissions in ${servers}.`, todo, { servers, link }),
    ];
  },
};

/** From this many people on, Discord reviews the intent "Server Members", and again each year. */
const reviewFrom = 10_000;
const warnFrom = 8_000;

/** How near the bot is to its intent's review. People in several servers count in each. */
export const checkReview: Check = {
  name: 'Members intent',
  async run() {
    const application = await readOwnApplication();
    if (application.isReviewed) return [ok('Discord has reviewed it.', 'discord_review_none')];
    const count = (await servedGuilds()).reduce((sum, { members }) => sum + members, 0);
    const link = portalOf(application);
    const says = `the bot reaches ${count.toLocaleString('en')} people. Discord reviews the intent from ${reviewFrom.toLocaleString('en')} on.`;
    if (count < warnFrom) return [ok(says, 'discord_review_far', { count })];
    const todo = `Apply for the review in time, which comes again each year: ${link}/bot → Privileged Gateway Intents.`;
    return [warning('discord_review_near', `T${says.slice(1)}`, todo, { count, link })];
  },
};
