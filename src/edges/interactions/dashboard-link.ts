import type { APIButtonComponent } from 'discord.js';
import { config } from '../../config/config.js';
import { signInEnabled } from '../../core/auth/sign-in.js';
import { t } from '../../lib/translate.js';
import { linkButton } from './reply.js';

/** A guild's page of the dashboard. `search`: the parameters of its address. */
export function guildPage(guildId: string, page = '', search: Record<string, string> = {}): string {
  // The dashboard reads each value as JSON; an id without quotes would be a number.
  const asked = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) asked.set(name, JSON.stringify(value));
  return `/g/${guildId}${page === '' ? '' : `/${page}`}${asked.size === 0 ? '' : `?${asked.toString()}`}`;
}

/** The button *Open dashboard* to a path of the pages (DISC-52, DISC-53). Without web sign-in there is none. */
export function dashboardLink(path: string): APIButtonComponent[] {
  return signInEnabled() ? [linkButton(`${config().publicUrl}${path}`, t('dashboard.open'))] : [];
}
