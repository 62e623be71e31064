import type { APIButtonComponent } from 'discord.js';
import { config } from '../../config/config.js';
import { signInEnabled } from '../../core/auth/sign-in.js';
import { isLocalAddress } from '../../lib/local-address.js';
import { t } from '../../lib/translate.js';
import { linkButton } from './replies/reply.js';

/** A guild's dashboard page. `search`: its address's parameters. */
export function guildPage(guildId: string, page = '', search: Record<string, string> = {}): string {
  // The dashboard reads each value as JSON; an id without quotes would be a number.
  const asked = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) asked.set(name, JSON.stringify(value));
  return `/g/${guildId}${page === '' ? '' : `/${page}`}${asked.size === 0 ? '' : `?${asked.toString()}`}`;
}

/** A page's address, if people on Discord can open it. A stand-in for Discord runs on the service's machine. */
export function addressForPeople(path: string): string | undefined {
  const { publicUrl, discord } = config();
  const leadsElsewhere = isLocalAddress(publicUrl) && !isLocalAddress(discord.apiUrl);
  return signInEnabled() && !leadsElsewhere ? `${publicUrl}${path}` : undefined;
}

/** The button *Open dashboard* to a page path (DISC-52, DISC-53); none where people can't open them. */
export function dashboardLink(path: string): APIButtonComponent[] {
  const url = addressForPeople(path);
  return url === undefined ? [] : [linkButton(url, t('dashboard.open'))];
}
