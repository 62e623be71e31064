import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import { readSettings } from '../../src/core/settings/settings-service.js';
import { buildTeammate } from '../features/team/team-setup.js';
import { startChromium } from '../support/chromium.js';
import { buildLivingGuild, type LivingGuild } from './living-guild.js';
import { expectQuiet, openTab } from './web-page.js';

describe('The page of the configuration file', () => {
  let browser: Browser;
  let guild: LivingGuild;
  before(async function () {
    browser = await startChromium(this);
    guild = await buildLivingGuild('Ranger Base', 1);
  });
  after(() => browser?.close());

  it('The page of the configuration file shows the changes of an edited text, and applies them', async () => {
    const tab = await openTab(browser, guild.owner);
    const { page } = tab;
    await tab.open(`/g/${guild.guildId}/config`);
    const text = page.getByLabel('Configuration', { exact: true });
    const before = await text.inputValue();
    expect(before).to.contain('Staff');
    await text.fill('groups: 5');
    await page.getByRole('button', { name: 'Show changes' }).click();
    await page.getByText('groups', { exact: true }).first().waitFor();
    await text.fill(
      before.replace('autoLinkOnJoin: true', 'autoLinkOnJoin: false').replace('name: Staff', 'name: Crew'),
    );
    await page.getByRole('button', { name: 'Show changes' }).click();
    const changes = page.getByRole('region', { name: 'Changes', exact: true });
    await changes.getByText(/Crew/).waitFor();
    await changes.getByText(/autoLinkOnJoin/).waitFor();
    await changes.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).click();
    await changes.waitFor({ state: 'hidden' });
    expect((await readSettings(guild.guildId)).autoLinkOnJoin).to.equal(false);
    expect(await text.inputValue()).to.contain('Crew');
    await tab.close();
  });

  it('A viewer can read the configuration file, and not apply it', async () => {
    const tab = await openTab(browser, await buildTeammate(guild, 'viewer'));
    await tab.open(`/g/${guild.guildId}/config`);
    await tab.page.getByText('An admin of this server can make changes here.').waitFor();
    const button = tab.page.getByRole('button', { name: 'Show changes' });
    expect(await button.getAttribute('aria-disabled')).to.equal('true');
    expectQuiet(tab);
    await tab.close();
  });
});
