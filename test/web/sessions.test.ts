import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import { startSession } from '../../src/core/auth/session-service.js';
import { buildPerson } from '../support/build.js';
import { startChromium } from '../support/chromium.js';
import { expectQuiet, faultsOf, keepPicture, looks, openTab, settled } from './web-page.js';

// AUTH-51, AUTH-53
describe('Sessions on the page of one’s own account', () => {
  let browser: Browser;
  before(async function () {
    browser = await startChromium(this);
  });
  after(() => browser?.close());

  /** A person with sessions on a phone and in an unknown browser, in addition to the tab. */
  async function signedInThrice() {
    const { chatUserId, username } = await buildPerson();
    const profile = { chatUserId, username, avatarUrl: null, managedGuilds: null };
    await startSession({ ...profile, device: { browser: 'safari', system: 'ios' } });
    await startSession({ ...profile, device: { browser: null, system: null } });
    return { chatUserId, username };
  }

  it('A session is ended where it stands, and all others with one press', async () => {
    const tab = await openTab(browser, await signedInThrice());
    const { page } = tab;
    await tab.open('/me');
    const rows = page.getByRole('listitem').filter({ hasText: 'Last used on' });
    await rows.first().waitFor();
    expect(await rows.count()).to.equal(3);
    expect(await rows.first().innerText()).to.contain('this one');
    expect(await rows.first().getByRole('button').count(), 'the own one').to.equal(0);
    await page.getByRole('button', { name: /^Sign out Safari on iOS/ }).click();
    await page.getByText('Session signed out.').waitFor();
    await rows.nth(2).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Sign out all others' }).click();
    await rows.nth(1).waitFor({ state: 'detached' });
    expect(await page.getByRole('button', { name: 'Sign out all others' }).count()).to.equal(0);
    expect((await page.request.get('/api/auth/me')).status()).to.equal(200);
    expectQuiet(tab);
    await tab.close();
  });

  for (const look of looks) {
    const name = `${look.width}-${look.scheme}-${look.language}`;
    it(`The list of sessions has no fault at ${look.width} px, ${look.scheme}, ${look.language}`, async () => {
      const tab = await openTab(browser, await signedInThrice(), look);
      await tab.open('/me');
      await settled(tab.page);
      await keepPicture(tab.page, `sessions-${name}`);
      expect(await faultsOf(tab.page, look.width)).to.deep.equal([]);
      expectQuiet(tab);
      await tab.close();
    });
  }
});
