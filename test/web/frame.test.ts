import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import { locale } from '../../src/lib/translate.js';
import { buildGuild, buildPerson } from '../support/build.js';
import { startChromium } from '../support/chromium.js';
import { world } from '../support/world.js';
import { expectQuiet, keepPicture, openTab } from './web-page.js';

/** The most that a link with one line of words is high, in px. */
const oneLine = 40;

/** Parts of the page with a transition or an animation, by their class. */
const movingParts = `[...document.querySelectorAll('*')].flatMap((part) => [null, '::before', '::after'].flatMap((of) => {
  const { transitionDuration, animationName } = getComputedStyle(part, of);
  const isStill = animationName === 'none' && transitionDuration.split(', ').every((time) => parseFloat(time) === 0);
  return isStill ? [] : [part.tagName + '.' + part.getAttribute('class') + (of ?? '')];
}))`;

describe('The frame of the dashboard', () => {
  let browser: Browser;
  before(async function () {
    browser = await startChromium(this);
  });
  after(() => browser?.close());

  // DASH-8
  it('The dashboard signs a person in by Discord, shows their servers, and signs them out', async () => {
    const { discord } = await world();
    const guild = await buildGuild({ name: 'Ranger Base' });
    const tab = await openTab(browser, null);
    const { page } = tab;
    await tab.open('/');
    await page.getByRole('link', { name: 'Sign in with Discord' }).click();
    await page.getByRole('link', { name: 'Continue with Discord' }).click();
    await page.getByLabel('Who are you?').selectOption(guild.ownerId);
    await page.getByRole('button', { name: 'Authorize' }).click();
    await page.getByRole('heading', { level: 1, name: 'Your servers' }).waitFor();
    expect(new URL(page.url()).pathname).to.equal('/g');
    await page.getByRole('link', { name: /Ranger Base/ }).click();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    expect(await page.title()).to.equal('Overview · Rolelink');
    await page.locator('h1:focus').waitFor();
    const { username } = discord.user(guild.ownerId);
    await page.getByRole('button', { name: `Account of ${username}` }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { level: 1, name: /Discord roles/ }).waitFor();
    await tab.open(`/g/${guild.guildId}`);
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    expect(new URL(page.url()).searchParams.get('returnTo')).to.equal(`/g/${guild.guildId}`);
    expectQuiet(tab);
    await tab.close();
  });

  // DASH-15, DASH-16
  it('Chosen colours and language are kept in the browser, and the colours follow the system without a choice', async () => {
    const person = await buildPerson();
    const tab = await openTab(browser, person);
    const { page } = tab;
    const scheme = () => page.locator('html').getAttribute('data-mantine-color-scheme');
    await tab.open('/me');
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.locator('html[data-mantine-color-scheme="dark"]').waitFor();
    await page.getByRole('button', { name: `Account of ${person.username}` }).click();
    await page.getByLabel('Colours').selectOption({ label: 'Light' });
    await page.getByLabel('Language').selectOption({ label: 'Deutsch' });
    await page.locator('html[lang="de"]').waitFor();
    await page.reload();
    await page.locator('html[lang="de"]').waitFor();
    expect(await scheme()).to.equal('light');
    await tab.close();
  });

  // DASH-93
  it('Keys that are typed while the list of places is still loading stand in its field', async () => {
    const guild = await buildGuild({ name: 'Ranger Base' });
    const { discord } = await world();
    const owner = { chatUserId: guild.ownerId, username: discord.user(guild.ownerId).username };
    const tab = await openTab(browser, owner);
    const { page } = tab;
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(/assets\/palette-.*\.js/, async (route) => {
      await held;
      await route.continue();
    });
    await tab.open(`/g/${guild.guildId}`);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('mapp');
    release();
    const field = page.getByRole('combobox', { name: 'Page, member or mapping' });
    await field.waitFor();
    expect(await field.inputValue()).to.equal('mapp');
    await page.getByRole('option', { name: /^Mappings/ }).waitFor();
    expectQuiet(tab);
    await tab.close();
  });

  // DASH-77
  it('Nothing moves under reduced motion', async () => {
    const guild = await buildGuild({ name: 'Ranger Base' });
    const { discord } = await world();
    const owner = { chatUserId: guild.ownerId, username: discord.user(guild.ownerId).username };
    const tab = await openTab(browser, owner, { width: 360 });
    const { page } = tab;
    await tab.open(`/g/${guild.guildId}/settings`);
    expect(await page.evaluate<string[]>(movingParts)).to.deep.equal([]);
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Page, member or mapping' }).waitFor();
    expect(await page.evaluate<string[]>(movingParts)).to.deep.equal([]);
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    expect(await page.evaluate<string[]>(movingParts)).to.not.deep.equal([]);
    await tab.close();
  });

  // DASH-94
  it('A switch shows its state in forced colours', async () => {
    const guild = await buildGuild({ name: 'Ranger Base' });
    const { discord } = await world();
    const tab = await openTab(browser, {
      chatUserId: guild.ownerId,
      username: discord.user(guild.ownerId).username,
    });
    await tab.page.emulateMedia({ forcedColors: 'active' });
    await tab.open(`/g/${guild.guildId}/settings`);
    await tab.page.getByRole('switch').first().waitFor();
    const colorOf = (part: string) =>
      tab.page.evaluate<string>(`getComputedStyle(document.querySelector('${part}')).backgroundColor`);
    const canvas = await colorOf('body');
    const track = await colorOf('.mantine-Switch-input:checked + .mantine-Switch-track');
    expect(track).to.not.equal(canvas);
    expect(await colorOf('.mantine-Switch-thumb')).to.not.be.oneOf([canvas, track]);
    await tab.close();
  });

  // DASH-50
  it('A page of no server says that it is offline, until the network is back', async () => {
    const guild = await buildGuild({ name: 'Ranger Base' });
    const tab = await openTab(browser, { chatUserId: guild.ownerId, username: 'owner' });
    const { page } = tab;
    await tab.open('/g');
    await page.context().setOffline(true);
    await page.getByText("You're offline.", { exact: false }).waitFor();
    await page.context().setOffline(false);
    await page.getByText("You're offline.", { exact: false }).waitFor({ state: 'detached' });
    await tab.close();
  });

  it('A page that could not be loaded keeps its margin and the way to the start page', async () => {
    const tab = await openTab(browser, await buildPerson(), { width: 360 });
    const { page } = tab;
    await page.route(/me-page/, (route) => route.abort());
    await tab.open('/me');
    const heading = page.getByRole('heading', { level: 1, name: "This page can't be shown" });
    expect((await heading.boundingBox())?.x).to.be.at.least(16);
    expect(await page.getByRole('link', { name: 'Rolelink' }).getAttribute('href')).to.equal('/');
    await tab.close();
  });

  // DASH-15
  it("Each link of a server's menu takes one line, in every language", async () => {
    const guild = await buildGuild({ name: 'Ranger Base' });
    const broken: string[] = [];
    for (const language of locale.options) {
      const tab = await openTab(browser, { chatUserId: guild.ownerId, username: 'owner' }, { language });
      await tab.open(`/g/${guild.guildId}/plan`);
      for (const link of await tab.page.locator('aside nav a').all()) {
        const height = (await link.boundingBox())?.height ?? 0;
        if (height > oneLine) broken.push(`${language}: ${await link.textContent()}`);
      }
      await keepPicture(tab.page, `menu-${language}`, false);
      await tab.close();
    }
    expect(broken).to.deep.equal([]);
  });
});
