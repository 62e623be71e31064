import { expect } from 'chai';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { findAccount } from '../../src/features/accounts/account-service.js';
import { createVerification } from '../../src/features/verification/verification-service.js';
import { signIn } from '../support/api.js';
import { buildGuild, buildMember, buildPerson, type TestPerson } from '../support/build.js';
import { startChromium } from '../support/chromium.js';
import { world } from '../support/world.js';

describe('The pages in a browser', () => {
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;

  before(async function () {
    browser = await startChromium(this);
  });
  after(() => browser?.close());

  beforeEach(async () => {
    // A phone without scripts: the pages must work all the same.
    context = await browser.newContext({ viewport: { width: 360, height: 740 }, javaScriptEnabled: false });
    page = await context.newPage();
  });
  afterEach(() => context?.close());

  /** Opens a new verification's page as its person, signed in. */
  async function openVerification(person: TestPerson, guildId: string, method: 'oauth' | 'profile_code') {
    const { url } = await world();
    const [name = '', value = ''] = (await signIn(person.chatUserId)).cookie.split('=');
    await context.addCookies([{ name, value, url }]);
    const actor = {
      kind: 'user',
      id: person.chatUserId,
      name: person.username,
      role: null,
      platformAdmin: false,
    } as const;
    const { token, session } = await createVerification({ guildId, method, chatUserId: person.chatUserId }, actor);
    await page.goto(`${url}/verify/${token}`);
    return session;
  }

  const fits = async () => (await page.evaluate<number>('document.body.scrollWidth')) <= 360;

  it('The pages verify by words in the profile: a mistake is explained, and the second try links', async () => {
    const { roblox } = await world();
    const guild = await buildGuild({ name: 'Rangers' });
    const person = await buildMember(guild, { linked: false });
    const { phrase } = await openVerification(person, guild.guildId, 'profile_code');
    expect(await page.getByRole('heading', { level: 1 }).textContent()).to.equal(
      'Link your Roblox account for Rangers',
    );
    await page.getByLabel('Your Roblox username').fill(person.gameUsername);
    await page.getByRole('button', { name: "I've added it" }).click();
    expect(await page.getByRole('alert').textContent()).to.match(/words/);
    expect(await findAccount(person.chatUserId)).to.equal(null);

    await page.getByRole('button', { name: 'Try again' }).click();
    const words = (await page.locator('.phrase').textContent()) ?? '';
    expect(words).to.not.equal(phrase);
    roblox.setAbout(person.gameUserId, `hello\n${words.toUpperCase()}`);
    await page.getByLabel('Your Roblox username').fill(person.gameUsername);
    await page.getByRole('button', { name: "I've added it" }).click();
    expect(await page.getByRole('heading', { level: 1 }).textContent()).to.equal('Your account is linked');
    expect(await page.locator('main').textContent()).to.contain(person.gameUsername);
    expect(await findAccount(person.chatUserId)).to.include({ gameUserId: person.gameUserId, method: 'profile_code' });
    expect(await fits()).to.equal(true);
  });

  it('The pages verify by signing in on Roblox', async () => {
    const guild = await buildGuild();
    const person = await buildMember(guild, { linked: false });
    await openVerification(person, guild.guildId, 'oauth');
    await page.getByRole('link', { name: 'Continue with Roblox' }).click();
    await page.getByLabel('Roblox username').fill(person.gameUsername);
    await page.getByRole('button', { name: 'Approve' }).click();
    expect(await page.getByRole('heading', { level: 1 }).textContent()).to.equal('Your account is linked');
    expect(await findAccount(person.chatUserId)).to.include({ gameUserId: person.gameUserId, method: 'oauth' });
  });

  it('The pages ask a visitor without a session to sign in first, and come back to the same page', async () => {
    const guild = await buildGuild();
    const person = await buildMember(guild, { linked: false });
    await openVerification(person, guild.guildId, 'profile_code');
    const address = page.url();
    await context.clearCookies();
    await page.goto(address);
    await page.getByLabel('Who are you?').selectOption(person.chatUserId);
    await page.getByRole('button', { name: 'Authorize' }).click();
    expect(page.url()).to.equal(address);
    expect(await page.locator('main').textContent()).to.contain(`signed in to Discord as ${person.username}`);
  });

  it('The pages never show another person’s page', async () => {
    const guild = await buildGuild();
    const person = await buildMember(guild, { linked: false });
    await openVerification(person, guild.guildId, 'profile_code');
    const address = page.url();
    const stranger = await buildPerson();
    await context.clearCookies();
    await page.goto(address);
    await page.getByLabel('Who are you?').selectOption(stranger.chatUserId);
    await page.getByRole('button', { name: 'Authorize' }).click();
    expect(await page.getByRole('heading', { level: 1 }).textContent()).to.equal('Not found');
    expect(await page.locator('main').textContent()).to.contain('belongs to another Discord account');
  });

  // DASH-20
  it('The pages show the documentation of the API without scripts', async () => {
    const { url } = await world();
    await page.goto(`${url}/docs`);
    expect(await page.getByRole('heading', { level: 2, name: 'verification' }).count()).to.equal(1);
    const operation = page.locator('article').filter({ hasText: 'POST /api/verification/session' });
    expect(await operation.locator('pre').first().textContent()).to.contain('chatUserId?: string');
    expect(await operation.locator('details pre').first().isVisible()).to.equal(true);
    await page
      .getByRole('navigation', { name: 'Contents' })
      .getByRole('link', { name: 'Overview', exact: true })
      .click();
    const long = page.locator('#getGuildOverview details').filter({ hasText: 'Example of the answer' });
    await long.locator('summary').waitFor();
    expect(await long.locator('pre').isVisible()).to.equal(false);
    await long.locator('summary').click();
    expect(await long.locator('pre').isVisible()).to.equal(true);
  });
});
