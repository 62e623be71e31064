import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import { WebhookEndpoints } from '../../src/features/webhooks/endpoint-model.js';
import { clock } from '../../src/lib/clock.js';
import { minuteMs } from '../../src/lib/time.js';
import { giveTeamRole } from '../commands/team.js';
import { answer } from '../features/webhooks/receiver.js';
import { buildMember } from '../support/build.js';
import { startChromium } from '../support/chromium.js';
import { buildLivingGuild, type LivingGuild } from './living-guild.js';
import { buildLivingTeam, type LivingTeam } from './living-team.js';
import { expectQuiet, faultsOf, keepPicture, looks, openTab } from './web-page.js';

// HOOK-26, HOOK-27, HOOK-31, HOOK-32
describe('The deliveries of a webhook on the dashboard', () => {
  let browser: Browser;
  let guild: LivingGuild;
  let team: LivingTeam;
  let address: string;
  before(async function () {
    browser = await startChromium(this);
    guild = await buildLivingGuild();
    team = await buildLivingTeam(guild);
    address = `/g/${guild.guildId}/webhooks/${team.webhookId}`;
  });
  after(() => browser?.close());

  /** Another admin for each tab, so that no one exceeds the limits. */
  async function admin() {
    const person = await buildMember(guild, { linked: false });
    await giveTeamRole(guild, person.chatUserId, 'admin');
    return person;
  }

  const openDialog = async (page: Awaited<ReturnType<typeof openTab>>['page']) => {
    await page.getByRole('button', { name: 'Resend several' }).click();
    return page.getByRole('dialog');
  };

  for (const look of looks) {
    const name = `${look.width}-${look.scheme}-${look.language}`;
    it(`The deliveries and one of them have no fault at ${look.width} px, ${look.scheme}, ${look.language}`, async () => {
      const tab = await openTab(browser, await admin(), look);
      const { page } = tab;
      await tab.open(address);
      await page.getByRole('checkbox').nth(1).check();
      await keepPicture(page, `deliveries-${name}`);
      expect(await faultsOf(page, look.width)).to.deep.equal([]);
      await tab.open(`${address}/${team.deliveryId}`);
      await page.locator('summary').click();
      await keepPicture(page, `delivery-${name}`);
      expect(await faultsOf(page, look.width)).to.deep.equal([]);
      expectQuiet(tab);
      await tab.close();
    });
  }

  // DASH-168
  it('A chosen webhook stands beside the list at its own address, and without a choice the first one', async () => {
    const url = `${team.receiver.url}/second`;
    const { webhookId } = (await guild.api.post(`${guild.path}/webhooks`, { url, events: ['member.unlinked'] })).body;
    const tab = await openTab(browser, await admin());
    const { page } = tab;
    await tab.open(`/g/${guild.guildId}/webhooks`);
    const list = page.getByRole('list', { name: 'All webhooks' });
    const here = list.locator('[aria-current]');
    const chosen = page.getByRole('region', { name: 'The chosen webhook' });
    await chosen.getByRole('cell').first().waitFor();
    const filter = chosen.getByRole('combobox', { name: 'Status' });
    await filter.focus();
    await filter.selectOption('Failed');
    await page.waitForURL(new RegExp(`${team.webhookId}\\?state=failed$`));
    expect(await page.evaluate<string>('document.activeElement.tagName')).to.equal('SELECT');
    await list.getByRole('link', { name: url }).click();
    await page.waitForURL(new RegExp(`${webhookId}$`));
    await chosen.getByText(url, { exact: true }).waitFor();
    expect(await here.textContent()).to.equal(url);
    expect(await page.evaluate<string>('document.activeElement.getAttribute("aria-label")')).to.equal(
      'The chosen webhook',
    );
    expect(await list.getByRole('listitem').count()).to.equal(2);
    await page.goBack();
    await chosen.getByText(url, { exact: true }).waitFor({ state: 'detached' });
    expectQuiet(tab);
    await tab.close();
    await guild.api.delete(`${guild.path}/webhooks/${webhookId}`);
  });

  // DASH-168
  it('On a phone the list and the chosen webhook are two pages', async () => {
    const tab = await openTab(browser, await admin(), { width: 360 });
    const { page } = tab;
    await tab.open(`/g/${guild.guildId}/webhooks`);
    expect(await page.getByRole('region', { name: 'Status' }).count()).to.equal(0);
    await page.getByRole('list', { name: 'All webhooks' }).getByRole('link').click();
    await page.getByRole('region', { name: 'Status' }).waitFor();
    expect(await page.getByRole('list', { name: 'All webhooks' }).count()).to.equal(0);
    await page.getByRole('link', { name: 'All webhooks' }).click();
    await page.getByRole('list', { name: 'All webhooks' }).waitFor();
    expectQuiet(tab);
    await tab.close();
  });

  // DASH-96
  it('An endpoint is called failing only once the health of the server says so', async () => {
    const tab = await openTab(browser, await admin());
    const main = tab.page.getByRole('region', { name: 'Status' });
    await tab.open(address);
    await main.getByText('Retrying', { exact: true }).waitFor();
    expect(await main.getByText('Failing', { exact: true }).count()).to.equal(0);
    const ours = { _id: team.webhookId, guildId: guild.guildId };
    const failingSince = new Date(clock.now().getTime() - 11 * minuteMs);
    await WebhookEndpoints.update(ours, { $set: { failingSince } });
    await tab.open(address);
    await main.getByText('Failing', { exact: true }).waitFor();
    await tab.close();
  });

  it('A time is sent again after its number was shown, delivered ones too', async () => {
    const { receiver } = team;
    receiver.behave(answer(204));
    const before = receiver.received.length;
    const tab = await openTab(browser, await admin());
    const { page } = tab;
    await tab.open(address);
    const dialog = await openDialog(page);
    await dialog.getByText('1 delivery was made in this time.').waitFor();
    await dialog.getByLabel('Which').selectOption('Failed and delivered');
    await dialog.getByText('2 deliveries were made in this time.').waitFor();
    await dialog.getByLabel('Until').fill('2020-01-01T00:00:00');
    await dialog.getByText('No deliveries were made in this time.').waitFor();
    expect(await dialog.getByRole('button', { name: 'Resend' }).isDisabled()).to.equal(true);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await openDialog(page);
    await dialog.getByLabel('Which').selectOption('Failed and delivered');
    await dialog.getByText('2 deliveries were made in this time.').waitFor();
    await dialog.getByRole('button', { name: 'Resend' }).click();
    await page.getByText('Resending.').waitFor();
    expect(receiver.received.length - before).to.be.within(0, 2);
    await page.getByRole('cell', { name: 'HTTP 204' }).nth(1).waitFor();
    expect(receiver.received.length - before).to.equal(2);
    expectQuiet(tab);
    await tab.close();
  });

  it('Selected deliveries are sent again, and the list is filtered by time in the address', async () => {
    const { receiver } = team;
    const before = receiver.received.length;
    const tab = await openTab(browser, await admin());
    const { page } = tab;
    await tab.open(address);
    await page.getByRole('checkbox', { name: 'Select all finished deliveries' }).check();
    await page.getByText('2 deliveries selected').waitFor();
    await page.getByRole('button', { name: 'Resend selected' }).click();
    await page.getByText('2 deliveries selected').waitFor({ state: 'detached' });
    await page.getByText('Resending.').waitFor();
    await page.getByLabel('Period', { exact: true }).selectOption('the last hour');
    await page.waitForURL(/within=hour/);
    await page
      .getByRole('cell', { name: /^\d+ ms$/ })
      .nth(1)
      .waitFor();
    expect(receiver.received.length - before).to.equal(2);
    expectQuiet(tab);
    await tab.close();
  });

  it('A delivery is copied as a line for curl, with the signature of its attempt', async () => {
    const tab = await openTab(browser, await admin());
    const { page } = tab;
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await tab.open(`${address}/${team.deliveryId}`);
    await page.getByRole('button', { name: 'Copy as curl' }).click();
    await page.getByText('Copied').waitFor();
    const line = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(line)
      .to.match(/^curl -i 'http/)
      .and.contain("-H 'webhook-signature: v1,");
    const sent = team.receiver.received.find(({ headers }) => headers['x-link-delivery'] === team.deliveryId);
    expect(line).to.contain(`--data-binary '${String(sent?.body)}'`);
    expectQuiet(tab);
    await tab.close();
  });
});
