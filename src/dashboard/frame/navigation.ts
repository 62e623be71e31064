import type { WordKey } from '../i18n/words.js';

/** The pages of a server, in the order of the menu. */
export const guildPages = [
  { to: '/g/$guildId', name: 'nav.overview' },
  { to: '/g/$guildId/members', name: 'nav.members' },
  { to: '/g/$guildId/mappings', name: 'nav.mappings' },
  { to: '/g/$guildId/groups', name: 'nav.groups' },
  { to: '/g/$guildId/preview', name: 'nav.preview' },
  { to: '/g/$guildId/differences', name: 'nav.differences' },
  { to: '/g/$guildId/resync', name: 'nav.resync' },
  { to: '/g/$guildId/settings', name: 'nav.settings' },
  { to: '/g/$guildId/config', name: 'nav.config' },
  { to: '/g/$guildId/log', name: 'nav.log' },
  { to: '/g/$guildId/webhooks', name: 'nav.webhooks' },
  { to: '/g/$guildId/team', name: 'nav.team' },
  { to: '/g/$guildId/tokens', name: 'nav.tokens' },
  { to: '/g/$guildId/plan', name: 'nav.plan' },
] as const satisfies readonly { to: string; name: WordKey }[];

/** The pages of the platform's administrators. */
export const adminPages = [
  { to: '/admin', name: 'admin.servers' },
  { to: '/admin/doctor', name: 'doctor.title' },
] as const satisfies readonly { to: string; name: WordKey }[];
