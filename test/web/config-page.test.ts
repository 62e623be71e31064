import { expect } from 'chai';
import { PermissionFlagsBits } from 'discord.js';
import type { Browser } from 'playwright-core';
import { readSettings } from '../../src/core/settings/settings-service.js';
import { buildTeammate } from '../features/team/team-setup.js';
import { startChromium } from '../support/chromium.js';
import { factsWhere } from '../support/events.js';
import { world } from '../support/world.js';
import { buildLivingGuild, type LivingGuild } from './living-guild.js';
import { expectQuiet, faultsOf, openTab } from './web-page.js';

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

  // CONF-61
  it('Beside another bot the page of the configuration asks first, and applies the text with observing in one change', async () => {
    const beside = await buildLivingGuild('Two Bots Base', 1);
    const bot = { name: 'Bloxlink', permissions: PermissionFlagsBits.ManageRoles, managed: true };
    const { id } = (await world()).discord.addRole(beside.guildId, bot);
    await factsWhere(beside.guildId, ({ roles }) => roles.has(id), 'the other bot');
    const tab = await openTab(browser, beside.owner);
    const { page } = tab;
    await tab.open(`/g/${beside.guildId}/config`);
    const text = page.getByLabel('Configuration', { exact: true });
    await text.fill((await text.inputValue()).replace('autoLinkOnJoin: true', 'autoLinkOnJoin: false'));
    await page.getByRole('button', { name: 'Show changes' }).click();
    await page.getByText('Another bot may give roles here too: Bloxlink.').waitFor();
    expect(await page.getByRole('button', { name: 'Apply', exact: true }).count()).to.equal(0);
    expect(await faultsOf(page, 1440)).to.deep.equal([]);
    await page.getByRole('button', { name: 'Observe first' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('The server only observes').waitFor();
    await dialog.getByRole('button', { name: 'Observe first' }).click();
    await page.getByText('Saved.', { exact: true }).waitFor();
    expect(await readSettings(beside.guildId)).to.include({ autoLinkOnJoin: false, mode: 'observe' });
    expectQuiet(tab);
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
