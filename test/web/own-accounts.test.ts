import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import { findMember } from '../../src/features/members/member-service.js';
import { addOther } from '../features/accounts/other-account.js';
import { buildGuild, buildMember, eventually, type TestGuild, type TestPerson } from '../support/build.js';
import { startChromium } from '../support/chromium.js';
import { expectQuiet, faultsOf, keepPicture, looks, openTab, settled } from './web-page.js';

// ID-93, ID-94, ID-97
describe('Several accounts on the page of one’s own account', () => {
  let browser: Browser;
  let home: TestGuild;
  let other: TestGuild;
  let ben: TestPerson;
  let alt: TestPerson;
  before(async function () {
    browser = await startChromium(this);
  });
  after(() => browser?.close());

  beforeEach(async () => {
    [home, other] = [await buildGuild({ name: 'Ranger Base' }), await buildGuild({ name: 'Star Fleet' })];
    ben = await buildMember(home);
    await buildMember(other, { person: ben });
    alt = await addOther(ben);
  });

  const used = async ({ guildId }: TestGuild) => (await findMember(guildId, ben.chatUserId))?.gameUserId;

  it('An account is used elsewhere, made main and removed, each after the servers that change are named', async () => {
    const tab = await openTab(browser, ben);
    const { page } = tab;
    await tab.open('/me');
    const card = page.getByRole('listitem').filter({ hasText: alt.gameUsername });
    await card.getByText('No server uses it.').waitFor();
    await card.getByRole('button', { name: /^Use elsewhere/ }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('checkbox', { name: 'Star Fleet' }).check();
    await dialog.getByRole('button', { name: 'Use elsewhere' }).click();
    await card.getByText('Used in Star Fleet').waitFor();
    expect([await used(home), await used(other)]).to.deep.equal([ben.gameUserId, alt.gameUserId]);

    await card.getByRole('button', { name: /^Make main/ }).click();
    await dialog.getByText('This changes Ranger Base.').waitFor();
    await dialog.getByRole('button', { name: 'Make main' }).click();
    await card.getByText('Main account').waitFor();
    await eventually(async () => (await used(home)) === alt.gameUserId, 'the change');

    const former = page.getByRole('listitem').filter({ hasText: ben.gameUsername });
    await former.getByRole('button', { name: /^Remove/ }).click();
    await dialog.getByText('This changes no server.').waitFor();
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await former.waitFor({ state: 'detached' });
    expect([await used(home), await used(other)]).to.deep.equal([alt.gameUserId, alt.gameUserId]);
    expectQuiet(tab);
    await tab.close();
  });

  it('After an unlink, the servers on the same page no longer see the account', async () => {
    const ida = await buildMember(home);
    const tab = await openTab(browser, ida);
    const { page } = tab;
    await tab.open('/me');
    const server = page.getByRole('listitem').filter({ hasText: 'Ranger Base' });
    await server.getByText('Can see it').waitFor();
    await page.getByRole('button', { name: 'Unlink', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Unlink' }).click();
    await page.getByText("You don't have a Roblox account linked.", { exact: false }).waitFor();
    await server.getByText('Can see it').waitFor({ state: 'detached' });
    expectQuiet(tab);
    await tab.close();
  });

  for (const look of looks) {
    const name = `${look.width}-${look.scheme}-${look.language}`;
    it(`The cards of five accounts have no fault at ${look.width} px, ${look.scheme}, ${look.language}`, async () => {
      for (let n = 0; n < 3; n += 1) await addOther(ben);
      const tab = await openTab(browser, ben, look);
      await tab.open('/me');
      await settled(tab.page);
      await tab.page.getByRole('listitem').filter({ hasText: alt.gameUsername }).waitFor();
      await keepPicture(tab.page, `accounts-${name}`);
      expect(await faultsOf(tab.page, look.width)).to.deep.equal([]);
      expectQuiet(tab);
      await tab.close();
    });
  }
});
