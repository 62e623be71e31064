import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import { buildTeammate } from '../features/team/team-setup.js';
import { startChromium } from '../support/chromium.js';
import { buildLivingGuild, type LivingGuild } from './living-guild.js';
import { openTab, type Tab } from './web-page.js';

// DASH-10
describe('The problems of fields on the dashboard', () => {
  let browser: Browser;
  let guild: LivingGuild;
  let tab: Tab;
  before(async function () {
    browser = await startChromium(this);
    guild = await buildLivingGuild('Ranger Base', 1);
    tab = await openTab(browser, await buildTeammate(guild, 'admin'), { language: 'de' });
  });
  after(() => browser?.close());

  it('A setting that is out of bounds is named beside the button and marked at its field, in the page’s language', async () => {
    const { page } = tab;
    await tab.open(`/g/${guild.guildId}/settings`);
    await page.getByLabel('Mindestalter eines Roblox-Kontos in Tagen').fill('9999');
    await page.getByRole('button', { name: 'Speichern' }).click();
    const told = page
      .getByRole('alert')
      .getByText('Mindestalter eines Roblox-Kontos in Tagen: Darf höchstens 3.650 sein.');
    await told.waitFor();
    expect(await page.getByText('Darf höchstens 3.650 sein.', { exact: true }).count()).to.equal(1);
    await page.getByRole('button', { name: 'Verwerfen' }).click();
  });

  it('A group that Roblox doesn’t know is marked at the list that names it', async () => {
    const { page } = tab;
    await tab.open(`/g/${guild.guildId}/settings`);
    const groups = page.getByRole('combobox', { name: 'In einer dieser Gruppen', exact: true });
    await groups.fill('999999999');
    await groups.press('Enter');
    await page.getByRole('button', { name: 'Speichern' }).click();
    await page.getByText('Ist keine Gruppe auf Roblox.', { exact: true }).waitFor();
  });

  it('The address of a webhook, a list of people and a configuration are refused in the page’s language', async () => {
    const { page } = tab;
    await tab.open(`/g/${guild.guildId}/webhooks`);
    await page.getByRole('button', { name: 'Webhook hinzufügen' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox').first().fill('ftp://example.com');
    await dialog.getByRole('button', { name: 'Speichern' }).click();
    await dialog.getByText('Muss mit https:// beginnen.').waitFor();
    await tab.open(`/g/${guild.guildId}/people`);
    await page.getByRole('textbox').first().fill('1,2');
    await page.getByRole('button', { name: 'Zeigen, was sich ändern würde' }).click();
    await page.getByRole('alert').getByText('Zeile 1 ist keine Discord-ID mit einer Roblox-ID.').waitFor();
    await tab.open(`/g/${guild.guildId}/config`);
    const text = page.getByRole('textbox').first();
    await text.fill((await text.inputValue()).replace('locale: en', 'locale: xx'));
    await page.getByRole('button', { name: 'Zeigen, was sich ändern würde' }).click();
    await page.getByRole('alert').getByText('settings.locale').waitFor();
    expect(await page.getByText('Muss eins davon sein').count()).to.equal(1);
  });
});
