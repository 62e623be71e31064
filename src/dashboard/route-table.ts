// Longer than 300 lines: it has an entry for each page.
import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, createRoute, Outlet, redirect } from '@tanstack/react-router';
import { askAhead, askedAhead } from './api/ask-ahead.js';
import {
  channelsQuery,
  groupsQuery,
  guildQuery,
  guildsQuery,
  historyQuery,
  lastChangesQuery,
  mappingsQuery,
  meQuery,
  overviewQuery,
  panelQuery,
  resyncsQuery,
  rolesQuery,
  settingsQuery,
  setupQuery,
} from './api/queries.js';
import { infoQuery } from './api/team-queries.js';
import { webhooksQuery } from './api/webhook-queries.js';
import { GuildFrame } from './frame/guild-frame.js';
import { NotFoundPage } from './frame/not-found-page.js';
import { pageShapes } from './frame/page-shapes.js';
import { AdminWaiting, CardWaiting, LandingWaiting, OpenWaiting } from './frame/page-waiting.js';
import { latePage, lazyPage, page } from './lazy-pages.js';
import { adminSearch } from './pages/admin/admin-search.js';
import { type ChangesSearch, type ChangesTab, changesSearch } from './pages/changes/changes-search.js';
import { FailedPage } from './pages/failed-page.js';
import { logSearch } from './pages/log/log-search.js';
import { mappingsSearch, newMappingSearch } from './pages/mappings/mappings-search.js';
import { membersSearch } from './pages/members/members-search.js';
import { overviewSearch, periodOf } from './pages/overview/overview-search.js';
import { trySearch } from './pages/try/try-search.js';
import { deliverySearch } from './pages/webhooks/delivery-search.js';

/** A page that brings its frame along, while it loads and if it fails. */
const alone = { pendingComponent: OpenWaiting, errorComponent: FailedPage };

// Every page, each in its own file that is loaded on the first visit. Its paths are in `pagePath` of
// src/edges/http/pages/dashboard-files.ts.
// Loaders ask for the session, the server and the page's data together, while the page's script is on its way.

const root = createRootRouteWithContext<{ queryClient: QueryClient }>()({
  component: Outlet,
  notFoundComponent: NotFoundPage,
  errorComponent: FailedPage,
});

const landing = createRoute({
  getParentRoute: () => root,
  path: '/',
  ...page('landing', () => import('./pages/landing/landing-page.js'), 'LandingPage'),
  ...alone,
  pendingComponent: LandingWaiting,
});

/** A path within these pages; anything else would lead away. */
const localPath = (value: unknown): string =>
  typeof value === 'string' && value.startsWith('/') && !value.startsWith('//') ? value : '/g';

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: (search: Record<string, unknown>): { returnTo: string; lost?: true } => ({
    returnTo: localPath(search.returnTo),
    ...(search.lost === true && { lost: true }),
  }),
  ...page('signIn', () => import('./pages/sign-in/sign-in-page.js'), 'SignInPage'),
  ...alone,
  pendingComponent: CardWaiting,
});

const servers = createRoute({
  getParentRoute: () => root,
  path: '/g',
  loader: ({ context: { queryClient } }) => askAhead(queryClient, meQuery, guildsQuery),
  ...page('servers', () => import('./pages/servers/servers-page.js'), 'ServersPage'),
  ...alone,
});

const guild = createRoute({
  getParentRoute: () => root,
  path: '/g/$guildId',
  errorComponent: FailedPage,
  loader: ({ context: { queryClient }, params: { guildId } }) =>
    askAhead(queryClient, meQuery, guildQuery(guildId), guildsQuery),
  component: GuildFrame,
});

const overview = createRoute({
  getParentRoute: () => guild,
  path: '/',
  validateSearch: overviewSearch,
  loaderDeps: ({ search }) => ({ days: periodOf(search) }),
  loader({ context: { queryClient }, params: { guildId }, deps: { days } }) {
    askAhead(queryClient, overviewQuery(guildId), panelQuery(guildId), lastChangesQuery(guildId));
    askAhead(queryClient, historyQuery(guildId, days));
    // The charts and the last changes name them.
    askAhead(queryClient, rolesQuery(guildId), groupsQuery(guildId), mappingsQuery(guildId));
  },
  ...page('overview', () => import('./pages/overview/overview-page.js'), 'OverviewPage'),
});

const setup = createRoute({
  getParentRoute: () => guild,
  path: 'setup',
  loader: askedAhead(setupQuery, rolesQuery, channelsQuery),
  ...page('setup', () => import('./pages/setup/setup-page.js'), 'SetupPage'),
});

const members = createRoute({
  getParentRoute: () => guild,
  path: 'members',
  validateSearch: membersSearch,
  ...page('members', () => import('./pages/members/members-page.js'), 'MembersPage'),
});

const people = createRoute({
  getParentRoute: () => guild,
  path: 'people',
  ...page('people', () => import('./pages/people/people-page.js'), 'PeoplePage'),
});

const mappings = createRoute({
  getParentRoute: () => guild,
  path: 'mappings',
  loader: askedAhead(mappingsQuery, groupsQuery, rolesQuery),
  validateSearch: mappingsSearch,
  ...page('mappings', () => import('./pages/mappings/mappings-page.js'), 'MappingsPage'),
});

const newMapping = createRoute({
  getParentRoute: () => guild,
  path: 'mappings/new',
  loader: askedAhead(groupsQuery, rolesQuery),
  validateSearch: newMappingSearch,
  ...page('newMapping', () => import('./pages/mappings/mapping-editor-page.js'), 'NewMappingPage'),
});

const importMappings = createRoute({
  getParentRoute: () => guild,
  path: 'mappings/import',
  ...page('importMappings', () => import('./pages/mapping-import/mapping-import-page.js'), 'MappingImportPage'),
});

const editMapping = createRoute({
  getParentRoute: () => guild,
  path: 'mappings/$mappingId',
  ...page('editMapping', () => import('./pages/mappings/mapping-editor-page.js'), 'EditMappingPage'),
});

const groups = createRoute({
  getParentRoute: () => guild,
  path: 'groups',
  loader: askedAhead(groupsQuery, mappingsQuery),
  ...page('groups', () => import('./pages/groups/groups-page.js'), 'GroupsPage'),
});

const ranks = createRoute({
  getParentRoute: () => guild,
  path: 'groups/$groupId/ranks',
  loader: ({ context: { queryClient }, params: { guildId } }) => askAhead(queryClient, groupsQuery(guildId)),
  ...latePage('ranks', () => import('./pages/ranks/ranks-page.js'), 'RanksPage', 'ranking'),
});

const requests = createRoute({
  getParentRoute: () => guild,
  path: 'groups/$groupId/requests',
  loader: ({ context: { queryClient }, params: { guildId } }) => askAhead(queryClient, groupsQuery(guildId)),
  ...latePage('requests', () => import('./pages/requests/requests-page.js'), 'RequestsPage', 'ranking'),
});

const changes = createRoute({
  getParentRoute: () => guild,
  path: 'changes',
  validateSearch: changesSearch,
  loader: askedAhead(resyncsQuery),
  ...latePage('changes', () => import('./pages/changes/changes-page.js'), 'ChangesPage'),
});

/** Leads a former address to its part in *Changes*. */
const toPart = (tab: ChangesTab) => ({
  validateSearch: changesSearch,
  beforeLoad({ params: { guildId }, search }: { params: { guildId: string }; search: ChangesSearch }) {
    throw redirect({ to: '/g/$guildId/changes', params: { guildId }, search: { ...search, tab }, replace: true });
  },
});
const formerParts = [
  createRoute({ getParentRoute: () => guild, path: 'differences', ...toPart('compare') }),
  createRoute({ getParentRoute: () => guild, path: 'preview', ...toPart('preview') }),
  createRoute({ getParentRoute: () => guild, path: 'resync', ...toPart('made') }),
] as const;

const move = createRoute({
  getParentRoute: () => guild,
  path: 'move',
  ...latePage('move', () => import('./pages/move/move-page.js'), 'MovePage'),
});

const settings = createRoute({
  getParentRoute: () => guild,
  path: 'settings',
  loader: askedAhead(settingsQuery, rolesQuery),
  ...page('settings', () => import('./pages/settings/settings-page.js'), 'SettingsPage'),
});

const log = createRoute({
  getParentRoute: () => guild,
  path: 'log',
  validateSearch: logSearch,
  // Entries name them.
  loader: askedAhead(rolesQuery, mappingsQuery, groupsQuery),
  ...page('log', () => import('./pages/log/log-page.js'), 'LogPage'),
});

// One page, with a webhook in its address or without.
const webhooks = createRoute({
  getParentRoute: () => guild,
  path: 'webhooks',
  loader: askedAhead(webhooksQuery),
  ...page('webhooks', () => import('./pages/webhooks/webhooks-page.js'), 'WebhooksPage'),
});

const webhook = createRoute({
  getParentRoute: () => webhooks,
  path: '$webhookId',
  validateSearch: deliverySearch,
  staticData: { shape: pageShapes.webhook },
});

const delivery = createRoute({
  getParentRoute: () => guild,
  path: 'webhooks/$webhookId/$deliveryId',
  ...page('delivery', () => import('./pages/webhooks/delivery-page.js'), 'DeliveryPage'),
});

// These pages' data may be refused to the person, so it is not asked for ahead.
const team = createRoute({
  getParentRoute: () => guild,
  path: 'team',
  ...page('team', () => import('./pages/team/team-page.js'), 'TeamPage'),
});

const tokens = createRoute({
  getParentRoute: () => guild,
  path: 'tokens',
  ...page('tokens', () => import('./pages/tokens/tokens-page.js'), 'TokensPage'),
});

const plan = createRoute({
  getParentRoute: () => guild,
  path: 'plan',
  loader: ({ context: { queryClient } }) => askAhead(queryClient, infoQuery),
  ...page('plan', () => import('./pages/plan/plan-page.js'), 'PlanPage'),
});

const config = createRoute({
  getParentRoute: () => guild,
  path: 'config',
  ...page('config', () => import('./pages/config/config-page.js'), 'ConfigPage'),
});

const me = createRoute({
  getParentRoute: () => root,
  path: '/me',
  ...latePage('me', () => import('./pages/me/me-page.js'), 'MePage', 'me'),
  ...alone,
});

const tryCall = createRoute({
  getParentRoute: () => root,
  path: '/docs/try',
  validateSearch: trySearch,
  ...page('tryCall', () => import('./pages/try/try-page.js'), 'TryPage'),
  ...alone,
});

const admin = createRoute({
  getParentRoute: () => root,
  path: '/admin',
  errorComponent: FailedPage,
  pendingComponent: AdminWaiting,
  component: lazyPage(() => import('./frame/admin-frame.js'), 'AdminFrame'),
});

const platform = createRoute({
  getParentRoute: () => admin,
  path: '/',
  validateSearch: adminSearch,
  ...page('platform', () => import('./pages/admin/platform-page.js'), 'PlatformPage'),
});

const doctor = createRoute({
  getParentRoute: () => admin,
  path: 'doctor',
  ...page('doctor', () => import('./pages/doctor/doctor-page.js'), 'DoctorPage'),
});

/** A server's pages: its members', and its team's. */
const rolePages = [
  mappings,
  newMapping,
  importMappings,
  editMapping,
  groups,
  ranks,
  requests,
  changes,
  ...formerParts,
] as const;
const guildPages = [overview, setup, move, members, ...rolePages, settings] as const;
const teamPages = [people, config, log, webhooks.addChildren([webhook]), delivery, team, tokens, plan] as const;

export const routeTree = root.addChildren([
  landing,
  signIn,
  servers,
  me,
  tryCall,
  admin.addChildren([platform, doctor]),
  guild.addChildren([...guildPages, ...teamPages]),
]);
