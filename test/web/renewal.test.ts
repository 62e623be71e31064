import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { giveTeamRole } from '../commands/team.js';
import { buildEndpoint, deliver, inState, type TestEndpoint } from '../features/webhooks/delivery-setup.js';
import { answer } from '../features/webhooks/receiver.js';
import { asPerson } from '../support/api.js';
import { buildGuild, buildPerson, eventually, type TestGuild } from '../support/build.js';
import { startChromium } from '../support/chromium.js';
import { expectQuiet, faultsOf, keepPicture, openTab, type Tab } from './web-page.js';

/** Counts what changes in the table from now on. */
const watchDrawing = `{
  window.drawn = 0;
  new MutationObserver((changes) => (window.drawn += changes.length)).observe(document.querySelector('tbody'), {
    subtree: true, childList: true, attributes: true, characterData: true,
  });
}`;

// DASH-12, DASH-71, DASH-72
describe('The renewal of the pages of webhooks', () => {
  let browser: Browser;
  let guild: TestGuild;
  let endpoint: TestEndpoint;
  let address: string;
  let tab: Tab;
  let page: Page;
  before(async function () {
    browser = await startChromium(this);
  });
  beforeEach(async () => {
    guild = await buildGuild();
    endpoint = await buildEndpoint(guild);
    address = `/g/${guild.guildId}/webhooks/${endpoint.webhookId}`;
    const person = await buildPerson();
    await giveTeamRole(guild, person.chatUserId, 'admin');
    tab = await openTab(browser, person);
    ({ page } = tab);
  });
  afterEach(async () => {
    await tab?.close();
    await endpoint.receiver.close();
  });
  after(() => browser?.close());

  const rows = () => page.getByRole('region', { name: 'Table of deliveries' }).locator('tbody tr');
  /** The addresses asked for from now on. */
  const watchCalls = (): string[] => {
    const calls: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/api/')) calls.push(new URL(request.url()).pathname);
    });
    return calls;
  };

  it('A delivery and its next attempt appear in the list without a press, and a selection stays', async () => {
    await deliver(guild, endpoint);
    await inState(endpoint, 'succeeded');
    await tab.open(address);
    await rows().getByRole('checkbox').check();
    endpoint.receiver.behave(answer(500));
    await deliver(guild, endpoint);
    await rows().nth(1).waitFor();
    await rows()
      .getByText(/^Next attempt in \d+ (second|minute)s?$/)
      .waitFor();
    await page.getByText('1 delivery selected').waitFor();
    await page.locator('dt:text("Waiting deliveries") + dd').getByText('1', { exact: true }).waitFor();
    expect(await rows().nth(1).getByRole('checkbox').isChecked()).to.equal(true);
    await keepPicture(page, 'flow-renewal-list');
    expect(await faultsOf(page, 1440)).to.deep.equal([]);
    endpoint.receiver.behave(answer(204));
    await rows().nth(0).getByText('Delivered').waitFor();
    expectQuiet(tab);
  });

  it('An attempt appears in a delivery without a press, the next one counts down, and open headers stay open', async () => {
    endpoint.receiver.behave(answer(500));
    await deliver(guild, endpoint);
    const { _id: deliveryId } = await inState(endpoint, 'retrying');
    await tab.open(`${address}/${deliveryId}`);
    // On a slow machine the second attempt stands above it by now.
    const first = page.locator('li').filter({ hasText: 'Attempt 1' });
    await first.locator('summary').click();
    const shown = new Set<string>();
    await eventually(async () => {
      shown.add(await page.locator('dd').filter({ hasText: ' · ' }).innerText());
      return [...shown].filter((words) => /^in \d+ seconds? ·/.test(words)).length >= 3;
    }, 'three seconds of the countdown');
    await page.getByText('Attempt 3').waitFor();
    expect(await first.locator('details[open]').count()).to.equal(1);
    expectQuiet(tab);
  });

  it('An endpoint that is off promises no next attempt, in its list or in a delivery', async () => {
    endpoint.receiver.behave(answer(500));
    await deliver(guild, endpoint);
    const { _id: deliveryId } = await inState(endpoint, 'retrying');
    const owner = await asPerson({ chatUserId: guild.ownerId, username: 'owner' });
    await owner.patch(`${guild.path}/webhooks/${endpoint.webhookId}`, { enabled: false });
    await tab.open(address);
    await rows().getByText('Retrying').waitFor();
    expect(await page.getByText(/^Next attempt/).count()).to.equal(0);
    await tab.open(`${address}/${deliveryId}`);
    await page.locator('dt:text-is("Next attempt") + dd').getByText('Off', { exact: true }).waitFor();
    expectQuiet(tab);
  });

  it('Further pages stay as they are, and newer deliveries are offered', async () => {
    await deliver(guild, endpoint, 55);
    await tab.open(address);
    await page.getByRole('button', { name: 'Load more' }).click();
    await rows().nth(54).waitFor();
    const before = await rows().nth(54).innerText();
    await deliver(guild, endpoint);
    const offer = page.getByRole('button', { name: 'Show new deliveries' });
    await offer.waitFor();
    expect([await rows().count(), await rows().nth(54).innerText()]).to.deep.equal([55, before]);
    await keepPicture(page, 'flow-renewal-offer', false);
    expect(await faultsOf(page, 1440)).to.deep.equal([]);
    await offer.click();
    await offer.waitFor({ state: 'detached' });
    expect(await rows().count()).to.equal(50);
    expectQuiet(tab);
  });

  it('An unchanged answer draws no list again', async () => {
    await deliver(guild, endpoint, 3);
    await tab.open(address);
    await eventually(async () => (await rows().getByText('Delivered').count()) === 3, 'three deliveries');
    const calls = watchCalls();
    const asked = () => calls.filter((path) => path.endsWith('/deliveries')).length;
    await eventually(() => asked() >= 1, 'a renewal');
    await page.evaluate(watchDrawing);
    await eventually(() => asked() >= 3, 'two more renewals');
    expect(await page.evaluate<number>('window.drawn')).to.equal(0);
  });

  it('Without a network a list is not renewed, and goes on when the network returns', async () => {
    await tab.open(address);
    await page.context().setOffline(true);
    await page.getByText("You're offline.", { exact: false }).waitFor();
    const calls = watchCalls();
    await deliver(guild, endpoint);
    await page.waitForTimeout(11_000);
    expect(calls).to.deep.equal([]);
    await page.context().setOffline(false);
    await rows().getByText('Delivered').waitFor();
  });

  // HOOK-8, DASH-71
  it('A form keeps the version that its person saw, though the page behind it goes on', async () => {
    let letGo = () => {};
    const held = new Promise<void>((go) => {
      letGo = go;
    });
    endpoint.receiver.behave((response, received) => held.then(() => answer(204)(response, received)));
    await tab.open(address);
    await page.getByRole('button', { name: 'Send a test event' }).click();
    await page.getByRole('button', { name: 'Edit' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Description').waitFor();
    const owner = await asPerson({ chatUserId: guild.ownerId, username: 'owner' });
    await owner.patch(`${guild.path}/webhooks/${endpoint.webhookId}`, { description: 'Changed elsewhere' });
    letGo();
    await page.getByText('Changed elsewhere').first().waitFor({ state: 'attached' });
    await dialog.getByLabel('Description').fill('Changed here');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('alert').waitFor();
    const { body } = await owner.get(`${guild.path}/webhooks/${endpoint.webhookId}`);
    expect(body.description).to.equal('Changed elsewhere');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect((await owner.get(`${guild.path}/webhooks/${endpoint.webhookId}`)).body.description).to.equal('Changed here');
  });
});
