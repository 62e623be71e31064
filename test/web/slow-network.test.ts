import { expect } from 'chai';
import type { Browser, Page, Request, Route } from 'playwright-core';
import { buildTeammate } from '../features/team/team-setup.js';
import { startChromium } from '../support/chromium.js';
import { buildLivingGuild, type LivingGuild } from './living-guild.js';
import { faultsOf, openTab, settled } from './web-page.js';

/** How many calls in series each page waits for at most. */
const pages = {
  one: ['', '/setup', '/mappings', '/mappings/new', '/groups'],
  two: [
    ...['/members', '/people', '/mappings/import', '/changes', '/changes?tab=made', '/move', '/settings'],
    ...['/config', '/log', '/webhooks', '/team', '/tokens', '/plan'],
  ],
};
const limits = [...pages.one.map((path) => ({ path, most: 1 })), ...pages.two.map((path) => ({ path, most: 2 }))];

/**
 * Holds the page's API calls. A round answers all that are held, once the page makes no further call without an answer:
 * so a slow answer, or a slow machine, adds no round.
 */
async function callsInRounds(page: Page): Promise<() => Promise<string[][]>> {
  const running = new Set<Request>();
  let held: Route[] = [];
  page.on('request', (request) => running.add(request));
  page.on('requestfinished', (request) => running.delete(request));
  page.on('requestfailed', (request) => running.delete(request));
  await page.route('**/api/**', async (route) => {
    // People's names and pictures come when they come: nothing waits for them, and nothing moves.
    if (/\/(names|pictures)$/.test(pathOf(route))) await route.continue();
    else held.push(route);
  });

  /** Waits until the page has taken `answered` calls' answers, loads nothing and has nothing to do. */
  async function pageRests(answered: number): Promise<void> {
    let seen = -1;
    while (seen !== held.length || running.size > held.length) {
      seen = held.length;
      await page.waitForFunction(takenCalls, answered, { polling: 50 });
      await page.evaluate(idle);
      await page.waitForTimeout(100);
    }
  }

  return async () => {
    const rounds: string[][] = [];
    await pageRests(0);
    while (held.length > 0) {
      const round = held;
      held = [];
      rounds.push(round.map(pathOf));
      await Promise.all(
        round.map(async (route) => {
          await route.continue();
          await (await route.request().response())?.finished();
        }),
      );
      await pageRests(rounds.flat().length);
    }
    return rounds;
  };
}

const pathOf = (route: Route): string => new URL(route.request().url()).pathname;

// What runs in the page stands as text: the tests are compiled without a browser's types.
const takenCalls = `(answered) => performance.getEntriesByType('resource')
  .filter(({ name }) => /\\/api\\/(?!.*\\/(names|pictures)$)/.test(name)).length >= answered`;
const idle = 'new Promise((done) => requestIdleCallback(() => done()))';

// DASH-44
describe('The pages of a server on a slow network', () => {
  let browser: Browser;
  let guild: LivingGuild;
  /** Several, so that no one uses up a minute's requests. */
  let admins: { chatUserId: string; username: string }[];
  /** Its owner has not used a minute's requests yet. */
  let rested: LivingGuild;
  before(async function () {
    browser = await startChromium(this);
    guild = await buildLivingGuild('Ranger Base', 3);
    admins = await Promise.all([1, 2, 3].map(() => buildTeammate(guild, 'admin')));
    rested = await buildLivingGuild('Ranger Post', 3);
  });
  after(() => browser?.close());

  for (const [index, { path, most }] of limits.entries()) {
    it(`The page /g/…${path} waits for at most ${most} calls in series`, async () => {
      const tab = await openTab(browser, admins[index % admins.length] ?? guild.owner);
      await tab.open('/g');
      const answerAll = await callsInRounds(tab.page);
      await tab.page.goto(`/g/${guild.guildId}${path}`);
      const rounds = await answerAll();
      await settled(tab.page);
      expect(rounds.length, JSON.stringify(rounds)).to.be.within(1, most);
      await tab.close();
    });
  }

  it('A fault of the service is said in place with the id of its request, and can be tried again', async () => {
    const tab = await openTab(browser, rested.owner);
    const { page } = tab;
    const requestId = '01890a5d-ac96-774b-bcce-b302099a8057';
    const problem = {
      type: 'about:blank',
      title: 'Fault',
      status: 500,
      detail: 'Fault',
      code: 'internal_error',
      requestId,
    };
    await page.route('**/api/guilds/*/webhooks*', (route) => route.fulfill({ status: 500, json: problem }));
    await tab.open(`/g/${rested.guildId}/webhooks`);
    const alert = page.getByRole('alert');
    await alert.getByText(`Request ${requestId}`).waitFor();
    expect(await faultsOf(page, 1440)).to.deep.equal([]);
    await page.unroute('**/api/guilds/*/webhooks*');
    await alert.getByRole('button', { name: 'Try again' }).click();
    await alert.waitFor({ state: 'detached' });
    await tab.close();
  });

  it('A refused or failed session, or server, is asked for once, and again by a press only', async () => {
    const tab = await openTab(browser, rested.owner);
    const { page } = tab;
    const again = page.getByRole('alert').getByRole('button', { name: 'Try again' });
    for (const address of ['/api/auth/me', `/api/guilds/${rested.guildId}`]) {
      let calls = 0;
      let status = 429;
      await page.route(`**${address}`, async (route) => {
        calls += 1;
        await route.fulfill({ status, headers: { 'Retry-After': '30' }, json: { status, code: 'internal_error' } });
      });
      for (status of [429, 500]) {
        // The page before makes no more calls then.
        await page.goto('about:blank');
        calls = 0;
        await page.goto(`/g/${rested.guildId}/groups`);
        await again.waitFor();
        await page.waitForTimeout(2_000);
        // Asked ahead, and once by the frame that shows the refusal.
        expect(calls, `${address} ${status}`).to.be.within(1, 2);
      }
      await page.unroute(`**${address}`);
      await again.click();
      await page.getByRole('heading', { level: 1, name: 'Groups' }).waitFor();
    }
    await tab.close();
  });

  // DASH-50
  it('Without a network the page says so and keeps its data, and asks again for the rest when the network returns', async () => {
    const tab = await openTab(browser, rested.owner);
    const { page } = tab;
    await tab.open(`/g/${rested.guildId}/groups`);
    await page.getByRole('link', { name: 'Team' }).click();
    await page.getByRole('heading', { level: 1, name: 'Team' }).waitFor();
    await settled(page);
    await page.getByRole('link', { name: 'Groups' }).click();
    await page.context().setOffline(true);
    await page.getByText("You're offline.", { exact: false }).waitFor();
    await page.getByText('Rangers of the Northern Valley').first().waitFor();
    expect(await faultsOf(page, 1440)).to.deep.equal([]);
    await page.getByRole('link', { name: 'Changes' }).click();
    await page
      .getByText("can't be reached", { exact: false })
      .or(page.getByText("couldn't be loaded", { exact: false }))
      .first()
      .waitFor();
    await page.context().setOffline(false);
    await page.getByRole('alert').first().waitFor({ state: 'detached' });
    await page.getByText("You're offline.", { exact: false }).waitFor({ state: 'detached' });
    await page.getByRole('heading', { level: 1, name: 'Changes' }).waitFor();
    await tab.close();
  });
});
