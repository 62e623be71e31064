import { lazyRouteComponent } from '@tanstack/react-router';
import { loadPart } from './api/lost-part.js';
import { pageShapes } from './frame/page-shapes.js';
import { loadLateWords } from './i18n/words.js';

/** A component in its own file, loaded when it is needed. */
export const lazyPage: typeof lazyRouteComponent = (load, name) => lazyRouteComponent(() => loadPart(load), name);

/** A page with words outside the first load. */
export const latePage = <T extends Record<string, unknown>>(
  name: keyof typeof pageShapes,
  load: () => Promise<T>,
  component: keyof T & string,
  subject: Parameters<typeof loadLateWords>[0] = 'moving',
) => page(name, async () => (await Promise.all([load(), loadLateWords(subject)]))[0], component);

/** A page with the outline that stands for it while it loads. */
export const page = <T extends Record<string, unknown>>(
  name: keyof typeof pageShapes,
  load: () => Promise<T>,
  component: keyof T & string,
) => ({ staticData: { shape: pageShapes[name] }, component: lazyPage(load, component) });
