import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { buildGuild } from '../support/build.js';
import { startChromium } from '../support/chromium.js';
import { world } from '../support/world.js';
import { buildLivingGuild, type LivingGuild } from './living-guild.js';
import { choose, expectQuiet, faultsOf, keepPicture, openTab } from './web-page.js';

const chart = (page: Page, name: string | RegExp) => page.getByRole('slider', { name });
const readingOf = async (page: Page, name: string): Promise<string> =>
  (await chart(page, name).getAttribute('aria-valuetext')) ?? '';

// DASH-52, DASH-53, DASH-54
describe('The figures over time', () => {
  let browser: Browser;
  let guild: LivingGuild;
  before(async function () {
    browser = await startChromium(this);
    guild = await buildLivingGuild('Over time');
  });
  after(() => browser?.close());

  it('The charts of the overview are read day by day with the arrow keys and with the pointer', async () => {
    const tab = await openTab(browser, guild.owner);
    const { page } = tab;
    await tab.open(`/g/${guild.guildId}`);
    const linked = chart(page, 'Linked members');
    expect(await readingOf(page, 'Linked members')).to.match(/ – Linked members: 5$/);
    await linked.focus();
    await page.keyboard.press('ArrowLeft');
    expect(await readingOf(page, 'Linked members')).to.match(/ – Linked members: 4$/);
    expect(await linked.getAttribute('aria-valuenow')).to.equal('29');
    await page.getByText(/ – Linked members: 4$/).waitFor();
    await page.keyboard.press('Home');
    expect(await readingOf(page, 'Linked members')).to.match(/: 3$/);
    const box = await chart(page, 'Syncs').boundingBox();
    if (box === null) throw new Error('no chart');
    await page.mouse.move(box.x + box.width * (28.5 / 30), box.y + box.height / 2);
    expect(await readingOf(page, 'Syncs')).to.match(/ – With changes: 5 · Failed: 0$/);
    await page.mouse.move(0, 0);
    expect(await readingOf(page, 'Age of ranks')).to.match(/ – Goal: 2 min$/);
    expectQuiet(tab);
    await tab.close();
  });

  it('The period and the mapping of the charts stand in the address, and the table shows the same', async () => {
    const tab = await openTab(browser, guild.owner);
    const { page } = tab;
    await tab.open(`/g/${guild.guildId}`);
    await choose(page, 'Period', '90 days');
    await page.waitForURL(/days=90/);
    await page.locator('[role=slider][aria-valuemax="90"]').first().waitFor();
    await page.getByText(/^Recorded since /).waitFor();
    await choose(page, 'Holders of a mapping', '@Recruit');
    await page.waitForURL(/mapping=/);
    const address = page.url();
    await tab.open(address);
    await chart(page, 'Holders of a mapping: @Recruit').waitFor();
    expect(await page.getByRole('combobox', { name: 'Period' }).inputValue()).to.equal('90');
    await page.getByRole('button', { name: 'Show as table' }).click();
    const rows = page.getByRole('table').getByRole('row');
    expect(await rows.count()).to.equal(91);
    expect(await rows.first().textContent())
      .to.contain('@Recruit')
      .and.to.contain('Age of ranks');
    expect(await rows.nth(2).getByRole('cell').nth(1).textContent()).to.equal('4');
    await choose(page, 'Period', '7 days');
    await rows.nth(8).waitFor({ state: 'detached' });
    expect(await rows.count()).to.equal(8);
    expectQuiet(tab);
    await tab.close();
  });

  it('A new server reads when its lines begin, and what is missing for each chart', async () => {
    const { discord } = await world();
    const fresh = await buildGuild({ name: 'Fresh figures' });
    const roleIds = [discord.addRole(fresh.guildId, { name: 'Verified' }).id];
    await fresh.api.post(`${fresh.path}/mappings`, { condition: { type: 'verified' }, roleIds });
    const owner = { chatUserId: fresh.ownerId, username: discord.user(fresh.ownerId).username };
    const tab = await openTab(browser, owner, { width: 360, scheme: 'dark' });
    const { page } = tab;
    await tab.open(`/g/${fresh.guildId}`);
    await page.getByText('Rolelink began recording these figures today. The lines start tomorrow.').waitFor();
    for (const words of ['Nobody verified in this period.', 'No ranks were read in this period.'])
      await page.getByText(words).waitFor();
    await page.getByText(/^No mapping has been counted yet\./).waitFor();
    expect(await readingOf(page, 'Linked members')).to.match(/: 0$/);
    expect(await faultsOf(page, 360)).to.deep.equal([]);
    await keepPicture(page, 'history-new-360-dark');
    await tab.close();
  });

  for (const width of [360, 1440] as const) {
    for (const scheme of ['light', 'dark'] as const) {
      it(`The charts and their table have no fault at ${width} px, ${scheme}`, async () => {
        const tab = await openTab(browser, guild.owner, { width, scheme });
        const { page } = tab;
        await tab.open(`/g/${guild.guildId}?days=90`);
        await chart(page, 'Linked members').focus();
        await page.keyboard.press('PageDown');
        expect(await faultsOf(page, width)).to.deep.equal([]);
        await keepPicture(page, `history-${width}-${scheme}`);
        await page.getByRole('button', { name: 'Show as table' }).click();
        await page.getByRole('table').waitFor();
        expect(await faultsOf(page, width)).to.deep.equal([]);
        await keepPicture(page, `history-table-${width}-${scheme}`);
        expectQuiet(tab);
        await tab.close();
      });
    }
  }
});
