import { Store } from '@sapphire/pieces';
import { Route } from './route.js';

export class RouteStore extends Store<Route, 'routes'> {
  constructor() {
    super(Route as never, { name: 'routes' });
  }

  /** The routes with fixed path segments before parameters in the same place, as a router requires. */
  inMountingOrder(): Route[] {
    return [...this.values()].sort((a, b) => mountingKey(a.path).localeCompare(mountingKey(b.path)));
  }
}

/** ':' must sort behind every letter, digit and '@'. */
const mountingKey = (path: string): string => path.replaceAll(':', '\u{ffff}');

declare module '@sapphire/pieces' {
  interface StoreRegistryEntries {
    routes: RouteStore;
  }
}
