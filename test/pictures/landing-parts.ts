import type { Page } from 'playwright-core';
import type { Part } from './camera.js';
import type { LandingView } from './picture-files.js';
import type { ShowcaseGuild } from './showcase-guild.js';

/** A page part that the landing page shows beside a line. Sizes are in px. */
interface LandingPart {
  path: (guild: ShowcaseGuild) => string;
  /** The window's width, and that of the part at its left. */
  window: number;
  width: number;
  /** The element at the part's top, in every language. */
  top: string;
}

export const landingParts: Readonly<Record<Exclude<LandingView, 'product'>, LandingPart>> = {
  compare: { path: () => ':guild/changes', window: 760, width: 760, top: 'main h2 >> nth=0' },
  reasons: {
    path: ({ members }) => `:guild/members?member="${members[0]?.chatUserId}"`,
    // A dialog leaves the page's scroll bar room free.
    ...{ window: 559, width: 544, top: '[role=dialog] section h3 >> nth=1' },
  },
  ranks: { path: () => ':guild', window: 640, width: 640, top: 'main section >> nth=-1' },
};

/** All parts have the same shape. */
const ratio = 1.6;
const marginPx = 8;

/** Where a part is on its page. */
export async function partOf(page: Page, { top, width }: LandingPart): Promise<Part> {
  const { y = 0 } = (await page.locator(top).boundingBox()) ?? {};
  return { x: 0, y: y - marginPx, width, height: width / ratio };
}
