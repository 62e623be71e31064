import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { buildApplicant } from '../features/verification/verification-setup.js';
import { root } from '../structure/source-files.js';
import { startChromium } from '../support/chromium.js';
import { world } from '../support/world.js';
import { type Frame, openWindow, type Part, show, showDocument, takePicture } from './camera.js';
import { discordPage } from './discord-page.js';
import { playVerification } from './discord-story.js';
import { landingParts, partOf } from './landing-parts.js';
import {
  type LandingView,
  landingFolder,
  landingLooks,
  landingPicture,
  mostBytes,
  type PictureName,
  paperFolder,
} from './picture-files.js';
import {
  addMembers,
  buildFreshGuild,
  buildNamedPerson,
  buildReader,
  buildShowcaseGuild,
  type ShowcaseGuild,
} from './showcase-guild.js';
import { disturbRoles, enforce, promoteSome, settleRoles } from './showcase-roles.js';
import { buildShowcaseTeam } from './showcase-team.js';

// `npm run pictures`: takes the papers' and the landing page's pictures from the service at work.

const wide: Frame = { width: 1280, height: 800 };

describe('The pictures of the papers', () => {
  let browser: Browser;
  let guild: ShowcaseGuild;
  before(async function () {
    browser = await startChromium(this);
    guild = await buildShowcaseGuild();
    await addMembers(guild);
  });
  after(() => browser?.close());

  /** Takes what `person`'s window, the server owner's when left out, shows under a path. */
  async function shoot(
    name: PictureName,
    path: string,
    { person, frame = wide, act, folder, part }: Shot = {},
  ): Promise<void> {
    const page = await openWindow(browser, person === undefined ? guild.owner : person, frame);
    await show(page, path.replace(':guild', `/g/${guild.guildId}`));
    await act?.(page);
    await keep(name, page, { folder, part: await part?.(page) });
  }

  /** Takes a landing page view in each language and colour. */
  async function shootViews(view: Exclude<LandingView, 'product'>): Promise<void> {
    const shown = landingParts[view];
    for (const look of landingLooks)
      await shoot(landingPicture(view, look), shown.path(guild), {
        ...{ person: await buildReader(guild), folder: landingFolder },
        ...{ frame: { width: shown.window, height: 1_000, ...look }, part: (page) => partOf(page, shown) },
      });
  }

  it('The differences of a server that observes', async () => {
    await settleRoles(guild);
    await disturbRoles(guild);
    await shoot('differences', ':guild/changes');
    await shootViews('compare');
  });

  it('The pages of a server at work', async () => {
    await settleRoles(guild);
    await enforce(guild);
    await promoteSome(guild);
    await shootViews('ranks');
    const { webhookId } = await buildShowcaseTeam(guild);
    await shoot('overview', ':guild');
    await shoot('phone', ':guild', { frame: { width: 390, height: 800, scheme: 'dark' } });
    await shoot('mappings', ':guild/mappings');
    await shoot('why', `:guild/members?member="${guild.members[0]?.chatUserId}"`);
    await shoot('deliveries', `:guild/webhooks/${webhookId}`, { act: scrollTo('Last 24 hours') });
  });

  it('The set-up of a new server', async () => {
    const fresh = await buildFreshGuild(guild);
    await shoot('set-up', `/g/${fresh.guildId}/setup`, { person: fresh.owner });
  });

  it('The pictures of the landing page', async () => {
    await shootViews('reasons');
    for (const look of landingLooks) {
      const frame = { width: 1120, height: 700, ...look };
      const person = await buildReader(guild);
      await shoot(landingPicture('product', look), ':guild', { person, frame, folder: landingFolder });
    }
  });

  it('The public pages', async () => {
    await shoot('landing', '/', { person: null });
    const { token, person } = await buildApplicant({ guild, person: await buildNamedPerson('lyra') });
    await shoot('verify', `/verify/${token}`, { person, frame: { width: 800, height: 720 } });
  });

  it('The bot in a channel', async () => {
    const page = await openWindow(browser, null, { width: 720, height: 416 });
    await showDocument(page, discordPage(await playVerification(guild), (await world()).discord.roles(guild.guildId)));
    await keep('discord', page);
  });
});

/** Brings a heading to the window's top, below the page's head. */
const scrollTo = (heading: string) => async (page: Page) => {
  const { y = 0 } = (await page.getByRole('heading', { name: heading }).boundingBox()) ?? {};
  await page.evaluate(`scrollTo(0, ${y - 72})`);
};

interface Shot {
  person?: { chatUserId: string; username: string } | null;
  frame?: Frame;
  act?: (page: Page) => Promise<void>;
  folder?: string;
  part?: (page: Page) => Promise<Part>;
}

/** Keeps what the window or a part shows, and closes it. */
async function keep(
  name: PictureName,
  page: Page,
  { folder = paperFolder, part }: { folder?: string | undefined; part?: Part | undefined } = {},
): Promise<void> {
  const picture = await takePicture(page, mostBytes.each, part);
  await page.context().close();
  writeFileSync(join(root, folder, `${name}.webp`), picture);
  process.stdout.write(`      ${name}: ${Math.round(picture.length / 1_000)} kB\n`);
  expect(picture.length).to.be.at.most(mostBytes.one);
}
