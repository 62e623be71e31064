import type { WordKey } from '../i18n/words.js';
import type { IconName } from '../parts/icon.js';

interface MenuPage {
  to: string;
  name: WordKey;
  icon: IconName;
}

/** A server's pages in menu order, grouped by subject. */
export const guildMenu = [
  {
    name: undefined,
    pages: [
      { to: '/g/$guildId', name: 'nav.overview', icon: 'home' },
      { to: '/g/$guildId/members', name: 'nav.members', icon: 'people' },
    ],
  },
  {
    name: 'nav.roles',
    pages: [
      { to: '/g/$guildId/mappings', name: 'nav.mappings', icon: 'arrows' },
      { to: '/g/$guildId/groups', name: 'nav.groups', icon: 'blocks' },
      { to: '/g/$guildId/changes', name: 'nav.changes', icon: 'compare' },
    ],
  },
  {
    name: 'nav.integrations',
    pages: [
      { to: '/g/$guildId/webhooks', name: 'nav.webhooks', icon: 'bolt' },
      { to: '/g/$guildId/tokens', name: 'nav.tokens', icon: 'key' },
      { to: '/g/$guildId/config', name: 'nav.config', icon: 'file' },
      { to: '/g/$guildId/people', name: 'nav.people', icon: 'join' },
    ],
  },
  {
    name: 'nav.server',
    pages: [
      { to: '/g/$guildId/setup', name: 'nav.setup', icon: 'flag' },
      { to: '/g/$guildId/move', name: 'nav.move', icon: 'refresh' },
      { to: '/g/$guildId/settings', name: 'nav.settings', icon: 'sliders' },
      { to: '/g/$guildId/team', name: 'nav.team', icon: 'shield' },
      { to: '/g/$guildId/plan', name: 'nav.plan', icon: 'card' },
      { to: '/g/$guildId/log', name: 'nav.log', icon: 'list' },
    ],
  },
] as const satisfies readonly { name: WordKey | undefined; pages: readonly MenuPage[] }[];

export const adminPages = [
  { to: '/admin', name: 'admin.servers' },
  { to: '/admin/doctor', name: 'doctor.title' },
] as const satisfies readonly { to: string; name: WordKey }[];
