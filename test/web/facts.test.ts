import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { Mappings } from '../../src/features/mappings/mapping-model.js';
import { startChromium } from '../support/chromium.js';
import { buildLivingGuild, type LivingGuild } from './living-guild.js';
import { choose, expectQuiet, faultsOf, keepPicture, openTab } from './web-page.js';

const phone = { width: 390, height: 844 };
const inGame = 'has a fact in your game';

// FACT-10, FACT-12
describe('Facts on the dashboard', () => {
  let browser: Browser;
  let guild: LivingGuild;
  before(async function () {
    browser = await startChromium(this);
    guild = await buildLivingGuild();
  });
  after(() => browser?.close());

  const conditions = async () =>
    (await Mappings.find({ guildId: guild.guildId, name: 'By level' })).map(({ condition }) => condition);
  const field = (page: Page, name: string, index = 0) => page.getByRole('textbox', { name, exact: true }).nth(index);
  const save = (page: Page) => page.getByRole('button', { name: 'Save' });

  for (const scheme of ['light', 'dark'] as const) {
    it(`A mapping of a fact is made by the keyboard, and each part of it has its own name (${scheme})`, async () => {
      const tab = await openTab(browser, guild.owner, { scheme });
      const { page } = tab;
      await tab.open(`/g/${guild.guildId}/mappings/new`);
      await choose(page, 'Give', '@Moderator');
      await choose(page, 'Kind of condition', inGame);
      await page.getByRole('combobox', { name: 'Kind of condition' }).focus();
      await page.keyboard.press('Tab');
      await page.keyboard.type('Level');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Tab');
      await page.keyboard.press('ControlOrMeta+a');
      await page.keyboard.type('2.5');
      await page.keyboard.press('Tab');
      await page.keyboard.type('20');
      await page.getByText("Nobody's roles would change.").waitFor();
      expect(await page.getByRole('combobox', { name: 'How it is compared' }).count()).to.equal(1);
      await keepPicture(page, `fact-editor-${scheme}`);
      expect(await faultsOf(page, 1440)).to.deep.equal([]);
      await page.setViewportSize(phone);
      await keepPicture(page, `fact-editor-phone-${scheme}`);
      expect(await faultsOf(page, phone.width)).to.deep.equal([]);
      await page.getByLabel('Name', { exact: true }).fill('By level');
      await save(page).click();
      await page.getByRole('heading', { level: 1, name: 'Mappings' }).waitFor();
      expect((await conditions()).at(-1)).to.deep.equal({ type: 'fact', key: 'level', atLeast: 2.5, atMost: 20 });
      expectQuiet(tab);
      await tab.close();
    });
  }

  it('A number with a comma and a name with a space are marked, and not saved as something else', async () => {
    const tab = await openTab(browser, guild.owner);
    const { page } = tab;
    await tab.open(`/g/${guild.guildId}/mappings/new`);
    await choose(page, 'Give', '@Moderator');
    await choose(page, 'Kind of condition', inGame);
    await field(page, 'Name of the fact').fill('high level');
    await page.getByText('takes 1 to 32').waitFor();
    await field(page, 'to').fill('2,5');
    await page.getByText('This is no number.').waitFor();
    await keepPicture(page, 'fact-editor-wrong');
    expect(await field(page, 'to').getAttribute('aria-invalid')).to.equal('true');
    await field(page, 'Name of the fact').fill('level');
    await page.getByText('Complete the mapping to see its effect here.').waitFor();
    expect(await field(page, 'to').inputValue()).to.equal('2,5');
    await page.getByRole('combobox', { name: 'How it is compared' }).selectOption('is exactly');
    await field(page, 'Value').fill('"12"');
    await page.getByText('Complete the mapping to see its effect here.').waitFor({ state: 'detached' });
    await keepPicture(page, 'fact-editor-exact');
    await field(page, 'Value').fill('" "');
    await page.getByText('Complete the mapping to see its effect here.').waitFor();
    await page.getByRole('combobox', { name: 'How it is compared' }).selectOption('is a number');
    await field(page, 'to').fill('2.50');
    await page.getByText('This is no number.').waitFor({ state: 'detached' });
    await page.getByText('Complete the mapping to see its effect here.').waitFor({ state: 'detached' });
    expect(await field(page, 'to').inputValue()).to.equal('2.50');
    await tab.close();
  });

  it('A removed part leaves the values of the others', async () => {
    const tab = await openTab(browser, guild.owner);
    const { page } = tab;
    const part = (key: string, atLeast: number) => ({ type: 'fact', key, atLeast });
    const condition = { type: 'all', of: [part('level', 10), part('wins', 20), part('hours', 30)] };
    const roleIds = [guild.roles.Moderator];
    const { body } = await guild.api.post(`${guild.path}/mappings`, { name: 'Three', condition, roleIds });
    await tab.open(`/g/${guild.guildId}/mappings/${body.mappingId}`);
    await keepPicture(page, 'fact-editor-three');
    await page.setViewportSize(phone);
    await keepPicture(page, 'fact-editor-three-phone');
    await page.getByRole('button', { name: 'Remove this part' }).first().click();
    expect(await field(page, 'Name of the fact').inputValue()).to.equal('wins');
    expect([await field(page, 'from').inputValue(), await field(page, 'from', 1).inputValue()]).to.deep.equal([
      '20',
      '30',
    ]);
    await tab.close();
  });

  it('The panel of a member shows the facts with their age', async () => {
    const [member = expect.fail()] = guild.members;
    const facts = {
      ...{
        level: 12,
        owns_pass: true,
        clan: 'Red',
        last_seen_at_the_northern_statio: 'The third expedition of the Rangers into the Northern Valley',
      },
      ...{ minutes: 9_007_199_254_740_991, note: '12' },
    };
    const people = [{ gameUserId: member.gameUserId, facts }];
    expect((await guild.api.put(`${guild.path}/facts`, { people })).status).to.equal(200);
    for (const scheme of ['light', 'dark'] as const) {
      const tab = await openTab(browser, guild.owner, { scheme });
      const { page } = tab;
      await tab.open(`/g/${guild.guildId}/members?member=${member.chatUserId}`);
      await page.getByRole('dialog').getByText('Facts from your game').waitFor();
      await page.getByRole('dialog').getByText('“12”').waitFor();
      await keepPicture(page, `fact-panel-${scheme}`, false);
      expect(await faultsOf(page, 1440)).to.deep.equal([]);
      await page.setViewportSize(phone);
      await keepPicture(page, `fact-panel-phone-${scheme}`, false);
      expect(await faultsOf(page, phone.width)).to.deep.equal([]);
      expectQuiet(tab);
      await tab.close();
    }
  });
});
