import type { ServiceConfig } from '../../config/config.js';
import { buildVersion } from '../../lib/build-version.js';
import { inviteLink, type OwnApplication } from '../../platforms/discord/own-application.js';

/** An optional part: whether it is on, and the way to switch it on. */
interface Part {
  name: string;
  isOn: boolean;
  switchOn: string;
}

function partsOf(config: ServiceConfig): Part[] {
  const { discord, roblox, stripe, linkedRoles, rankingGroups, webhookDelivery, metricsToken } = config;
  return [
    { name: 'Web sign-in', isOn: discord.clientSecret !== undefined, switchOn: 'set DISCORD_CLIENT_SECRET' },
    {
      name: 'Roblox sign-in',
      isOn: roblox.oauth !== undefined,
      switchOn: 'set ROBLOX_CLIENT_ID and ROBLOX_CLIENT_SECRET; until then, people verify with a profile code',
    },
    {
      name: 'Roblox key',
      isOn: roblox.apiKey !== undefined,
      switchOn: 'set ROBLOX_API_KEY to detect promotions sooner',
    },
    {
      name: 'Ranking on Roblox',
      isOn: rankingGroups.size > 0,
      switchOn: 'set RANKING_GROUPS, so that staff can change ranks',
    },
    {
      name: 'Linked Roles',
      isOn: linkedRoles.length > 0,
      switchOn: 'set LINKED_ROLES, so that servers can use Linked Roles',
    },
    { name: 'Selling plans', isOn: stripe !== undefined, switchOn: 'set the four STRIPE_… variables' },
    {
      name: 'Webhooks',
      isOn: webhookDelivery === 'live',
      switchOn: 'remove WEBHOOK_DELIVERY=held; until then, events are held back',
    },
    {
      name: 'Metrics token',
      isOn: metricsToken !== undefined,
      switchOn: 'set METRICS_TOKEN; until then, /metrics is open to everyone who can reach the port',
    },
  ];
}

/** The report for the operator once the service is ready. `config` contains secrets; the report does not. */
export function readyReport(config: ServiceConfig, application: OwnApplication, url: string) {
  const parts = partsOf(config);
  return {
    ...buildVersion(),
    bot: application.name,
    url,
    publicUrl: config.publicUrl,
    invite: inviteLink(application.applicationId),
    database: config.mongodbUri === '' ? 'embedded' : 'server',
    on: parts.filter(({ isOn }) => isOn).map(({ name }) => name),
    off: parts.filter(({ isOn }) => !isOn).map(({ name, switchOn }) => `${name}: ${switchOn}`),
  };
}

/** The report as one block for a terminal. `msSinceStart` is the startup time. */
export function readyBlock(report: ReturnType<typeof readyReport>, dataDir: string, msSinceStart: number): string {
  const embedded = `embedded, in ${dataDir}: an alpha engine under SSPL. \`rolelink migrate\` moves to a MongoDB server.`;
  const rows: [string, string][] = [
    ['Listening at', `${report.url}, for browsers ${report.publicUrl}`],
    ['Invite the bot', report.invite],
    ['Sign in', report.on.includes('Web sign-in') ? `${report.publicUrl}/api/auth/login` : 'off'],
    ['The API', `${report.publicUrl}/docs`],
    ['Database', report.database === 'embedded' ? embedded : 'a MongoDB server'],
    ['On', report.on.join(', ') || 'only the bot'],
    ...report.off.map((line): [string, string] => ['Off', line]),
  ];
  const seconds = (msSinceStart / 1000).toFixed(1);
  const lines = rows.map(([name, value]) => `  ${name.padEnd(15)} ${value}`);
  return `\nRolelink ${report.version} (${report.commit}) is ready as ${report.bot}, after ${seconds} s.\n${lines.join('\n')}\n\n`;
}
