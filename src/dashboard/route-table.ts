import { createRootRoute, createRoute, lazyRouteComponent, Outlet } from '@tanstack/react-router';
import { FailedPage } from './pages/failed-page.js';
import { NotFoundPage } from './pages/not-found-page.js';

// Every page, each in a file of its own that is loaded when somebody goes there. Its paths are in `pagePath` of
// src/edges/http/dashboard-files.ts.

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFoundPage, errorComponent: FailedPage });

const landing = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: lazyRouteComponent(() => import('./pages/landing/landing-page.js'), 'LandingPage'),
});

/** A path of these pages; anything else would lead away. */
const localPath = (value: unknown): string =>
  typeof value === 'string' && value.startsWith('/') && !value.startsWith('//') ? value : '/g';

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: (search: Record<string, unknown>): { returnTo: string; lost?: true } => ({
    returnTo: localPath(search.returnTo),
    ...(search.lost === true && { lost: true }),
  }),
  component: lazyRouteComponent(() => import('./pages/sign-in/sign-in-page.js'), 'SignInPage'),
});

const servers = createRoute({
  getParentRoute: () => root,
  path: '/g',
  component: lazyRouteComponent(() => import('./pages/servers/servers-page.js'), 'ServersPage'),
});

const guild = createRoute({
  getParentRoute: () => root,
  path: '/g/$guildId',
  component: lazyRouteComponent(() => import('./frame/guild-frame.js'), 'GuildFrame'),
});

const overview = createRoute({
  getParentRoute: () => guild,
  path: '/',
  component: lazyRouteComponent(() => import('./pages/overview/overview-page.js'), 'OverviewPage'),
});

export const routeTree = root.addChildren([landing, signIn, servers, guild.addChildren([overview])]);
