import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { Teammates } from '../../src/core/access/teammate-model.js';
import { latestEntries } from '../../src/core/audit/audit-service.js';
import { findMember } from '../../src/features/members/member-service.js';
import { BotTokens } from '../../src/features/tokens/token-model.js';
import { WebhookEndpoints } from '../../src/features/webhooks/endpoint-model.js';
import { buildTeammate } from '../features/team/team-setup.js';
import { answer } from '../features/webhooks/receiver.js';
import { api } from '../support/api.js';
import { buildMember } from '../support/build.js';
import { startChromium } from '../support/chromium.js';
import { buildLivingGuild, type LivingGuild } from './living-guild.js';
import { buildLivingTeam, type LivingTeam } from './living-team.js';
import { expectQuiet, keepPicture, openTab, settled } from './web-page.js';

/** The secret or token in the dialog that shows it once, which is closed then. */
async function takeSecret(page: Page): Promise<string> {
  const dialog = page.getByRole('dialog').filter({ hasText: "I've saved it" });
  const text = (await dialog.locator('code').first().textContent()) ?? '';
  const close = dialog.getByRole('button', { name: 'Close' });
  expect(await close.isDisabled()).to.equal(true);
  await dialog.getByLabel("I've saved it").check();
  await close.click();
  await dialog.waitFor({ state: 'hidden' });
  return text;
}

/** How many lines each date's words take in a token table. */
const linesOfDates = `[...document.querySelectorAll('tbody td:is(:nth-child(4), :nth-child(5))')].map((cell) => {
  const range = document.createRange();
  range.selectNodeContents(cell);
  return new Set([...range.getClientRects()].map(({ bottom }) => Math.round(bottom))).size;
})`;

describe('The pages of a team', () => {
  let browser: Browser;
  let guild: LivingGuild;
  let team: LivingTeam;
  before(async function () {
    browser = await startChromium(this);
    guild = await buildLivingGuild('Ranger Base', 1);
    team = await buildLivingTeam(guild);
  });
  after(async () => {
    await team?.receiver.close();
    await browser?.close();
  });

  it('An admin adds a webhook, sees its secret once, and rotates it with both fingerprints shown', async () => {
    const tab = await openTab(browser, guild.owner);
    const { page } = tab;
    await tab.open(`/g/${guild.guildId}/webhooks`);
    await page.getByRole('button', { name: 'Add webhook' }).click();
    const form = page.getByRole('dialog');
    await form.getByText('A member was unlinked.').waitFor();
    await form.getByLabel('Address').fill('ftp://example.com');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('must', { exact: false }).first().waitFor();
    await form.getByLabel('Address').fill(`${team.receiver.url}/second`);
    await form.getByLabel('guild.suspended').uncheck();
    await form.getByRole('button', { name: 'Save' }).click();
    expect(await takeSecret(page)).to.match(/^whsec_/);
    await page.getByRole('link', { name: `${team.receiver.url}/second` }).click();
    await page.getByRole('button', { name: 'Replace the secret' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Replace the secret' }).click();
    await page.getByText('This is shown only once', { exact: false }).waitFor();
    expect(await takeSecret(page)).to.match(/^whsec_/);
    const fingerprints = page.getByRole('region', { name: 'Signing secrets' }).locator('li');
    // The secret is shown before the list is read again.
    await fingerprints.nth(1).waitFor();
    const shown = await fingerprints.allTextContents();
    expect(shown).to.have.length(2);
    expect(shown[0]).to.contain('valid since');
    expect(shown[1]).to.contain('expires');
    const [, stored] = await WebhookEndpoints.find({ guildId: guild.guildId }, { sort: { _id: 1 } });
    expect(stored?.secrets.map(({ fingerprint }) => fingerprint)).to.deep.equal(shown.map((text) => text.slice(0, 12)));
    expect(stored?.events).not.to.include('guild.suspended');
    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('link', { name: `${team.receiver.url}/second` }).waitFor({ state: 'detached' });
    expect(await WebhookEndpoints.count({ guildId: guild.guildId })).to.equal(1);
    await tab.close();
  });

  it('The page of a webhook shows a failed delivery with its answer, and sends it again', async () => {
    const { receiver, webhookId } = team;
    const tab = await openTab(browser, guild.owner);
    const { page } = tab;
    await tab.open(`/g/${guild.guildId}/webhooks`);
    await page.getByText(/^\d+\s?% arrived in the last 24 hours$/).waitFor();
    await page.getByRole('img', { name: /^In the last 24 hours, \d+ deliveries succeeded, 1 failed/ }).waitFor();
    await keepPicture(page, 'flow-webhooks-day');
    await tab.open(`/g/${guild.guildId}/webhooks/${webhookId}`);
    await page.getByRole('slider', { name: /1 failed/ }).waitFor();
    // DASH-90
    const offered = page.getByRole('combobox', { name: 'Event', exact: true }).locator('option');
    expect(await offered.allTextContents()).to.include('member.unlinked · A member was unlinked.');
    await keepPicture(page, 'webhook-filters');
    await page.getByRole('combobox', { name: 'Status' }).selectOption('Failed');
    await page.waitForURL(/state=failed/);
    await page.getByRole('cell', { name: 'HTTP 500' }).waitFor();
    await page
      .getByRole('row', { name: /Failed/ })
      .getByRole('link')
      .click();
    await settled(page);
    await page.getByText('"error": "no room"').waitFor();
    receiver.behave(answer(204));
    await page.getByRole('button', { name: 'Resend' }).click();
    await page.getByText('Delivered', { exact: true }).waitFor();
    await page.getByText('HTTP 204').waitFor();
    expectQuiet(tab);
    await tab.close();
  });

  it('An admin makes a token with a working line, and revokes it', async () => {
    const tab = await openTab(browser, guild.owner);
    const { page } = tab;
    await tab.open(`/g/${guild.guildId}/tokens`);
    await page.getByRole('button', { name: 'Create a token' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Statistics');
    await dialog.getByRole('button', { name: 'Create a token' }).click();
    await page.getByText('This is shown only once', { exact: false }).waitFor();
    const line = (await dialog.locator('pre').textContent()) ?? '';
    const token = await takeSecret(page);
    expect(line).to.contain(token).and.to.contain(`/api/guilds/${guild.guildId}`);
    expect((await api(token).get(guild.path)).status).to.equal(200);
    const row = page.getByRole('row', { name: /Statistics/ });
    await row.getByRole('button', { name: 'Actions: Statistics' }).click();
    await row.getByRole('button', { name: 'Revoke' }).click();
    await dialog.getByRole('button', { name: 'Revoke' }).click();
    await row.waitFor({ state: 'hidden' });
    expect((await api(token).get(guild.path)).status).to.equal(401);
    const [stored] = await BotTokens.find({ guildId: guild.guildId, name: 'Statistics' });
    expect(stored?.revokedAt).to.be.instanceOf(Date);
    await page.getByRole('button', { name: 'Create a token' }).click();
    await dialog.getByLabel('Name').fill('Game');
    await dialog.getByLabel('Team role').selectOption('verifier');
    await dialog.getByRole('button', { name: 'Create a token' }).click();
    await page.getByText('This is shown only once', { exact: false }).waitFor();
    expect(await dialog.locator('pre').count(), 'a line that it could not read').to.equal(0);
    const guess = { code: 'BCDFGH', gameUserId: '1' };
    const handedIn = await api(await takeSecret(page)).post(`${guild.path}/verification/game-codes/redeem`, guess);
    expect(handedIn.body.code).to.equal('game_code_not_valid');
    await tab.close();
  });

  it('Each date of a token stands in one line on a phone', async () => {
    const tab = await openTab(browser, guild.owner, { width: 360 });
    const { page } = tab;
    await tab.open(`/g/${guild.guildId}/tokens`);
    await page.getByRole('row', { name: /Website/ }).waitFor();
    const lines = await page.evaluate<number[]>(linesOfDates);
    expect(lines.length).to.be.at.least(2);
    expect(new Set(lines)).to.deep.equal(new Set([1]));
    await keepPicture(page, 'tokens-phone');
    await tab.close();
  });

  // DASH-152
  it('An admin finds a person, invites them, changes their role and takes them out of the team', async () => {
    const person = await buildMember(guild, { linked: false });
    const tab = await openTab(browser, guild.owner);
    const { page } = tab;
    await tab.open(`/g/${guild.guildId}/team`);
    await page.getByRole('textbox', { name: 'Person' }).fill(person.username);
    await page.getByRole('list', { name: 'People found' }).getByRole('button', { name: person.username }).click();
    await page.getByRole('button', { name: 'Invite', exact: true }).click();
    const row = page.getByRole('row', { name: new RegExp(`^${person.username}`) });
    await row.waitFor();
    expect(await page.getByRole('table').getByRole('combobox').count(), 'selects in the rows').to.equal(0);
    const act = async (name: string) => {
      await row.getByRole('button', { name: /^Actions:/ }).click();
      await row.getByRole('button', { name }).click();
    };
    await act('Change role to Viewer');
    const stored = () => Teammates.findOne({ guildId: guild.guildId, chatUserId: person.chatUserId });
    await row.getByRole('cell', { name: 'Viewer', exact: true }).waitFor();
    expect((await stored())?.role).to.equal('viewer');
    await act('Remove');
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await row.waitFor({ state: 'hidden' });
    expect(await stored()).to.equal(null);
    await tab.close();
  });

  it('The page of the log keeps its filter in the address, opens an entry, and exports the shown entries', async () => {
    const tab = await openTab(browser, guild.owner);
    const { page } = tab;
    await tab.open(`/g/${guild.guildId}/log`);
    await page.getByLabel('Subject').selectOption('Mappings');
    await page.waitForURL(/action=/);
    await page.getByRole('button', { name: /added the mapping @Recruit/ }).waitFor();
    expect(await page.getByText('map_').count(), 'ids in sentences').to.equal(0);
    await page.getByRole('button', { name: /added the mapping Staff/ }).click();
    await page.getByRole('row', { name: /^Roles/ }).waitFor();
    const loading = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Export as CSV' }).click();
    const lines = readFileSync(await (await loading).path(), 'utf8')
      .trim()
      .split('\r\n');
    const mapped = (await latestEntries(guild.guildId, 200)).filter(({ action }) => action.startsWith('mapping.'));
    expect(lines).to.have.length(mapped.length + 1);
    expectQuiet(tab);
    await tab.close();
  });

  // DASH-169
  it('The log is searched for a person by a part of their name, and for a thing by its id', async () => {
    // A separate reader, since the owner has asked for many pages in this minute (API-30).
    const tab = await openTab(browser, await buildTeammate(guild, 'admin'));
    const { page } = tab;
    const person = await buildMember(guild);
    await guild.api.post(`${guild.path}/members/${person.chatUserId}/sync`, {});
    await tab.open(`/g/${guild.guildId}/log`);
    const box = page.getByRole('combobox', { name: 'Search' });
    await box.fill(person.username.slice(0, -1));
    await page.getByRole('option', { name: person.username }).first().click();
    await page.waitForURL(new RegExp(`involves=.*${person.chatUserId}`));
    await page.getByRole('button', { name: `by or about ${person.username}` }).waitFor();
    const rows = page.getByRole('main').getByRole('listitem');
    await settled(page);
    expect(await rows.count()).to.be.within(1, 5);
    // LOG-25
    await rows
      .filter({ hasText: /(linked|verified|manually) →.* \d+ (sec|min)/ })
      .first()
      .waitFor();
    await page.getByRole('button', { name: /^by or about/ }).click();
    const made = (await guild.api.get(`${guild.path}/logs?action=mapping.created`)).body.data[0];
    const { id: mappingId } = made.target;
    await box.fill(mappingId);
    await box.press('Enter');
    await page.waitForURL(new RegExp(mappingId));
    await page.getByRole('button', { name: /added the mapping/ }).waitFor();
    expect(await rows.count()).to.be.within(1, 5);
    expectQuiet(tab);
    await tab.close();
  });

  for (const role of ['viewer', 'manager'] as const) {
    it(`The pages of a team are closed to a ${role}, with the reason, but for the log`, async () => {
      const person = await buildTeammate(guild, role);
      const tab = await openTab(browser, person);
      for (const name of ['webhooks', 'team', 'tokens', 'plan']) {
        await tab.open(`/g/${guild.guildId}/${name}`);
        await tab.page.getByText('An admin of this server can open it, or give you the team role Admin.').waitFor();
      }
      await tab.open(`/g/${guild.guildId}/log`);
      const button = tab.page.getByRole('button', { name: 'Export as CSV' });
      expect(await button.getAttribute('aria-disabled')).to.equal('true');
      expectQuiet(tab);
      await tab.close();
    });
  }

  it('The page of plans sells none to an admin, but names the buyer, and the parts that a smaller one would pause', async () => {
    const admin = await buildTeammate(guild, 'admin');
    const tab = await openTab(browser, admin);
    await tab.open(`/g/${guild.guildId}/plan`);
    await tab.page.getByText('Would pause 1 webhook').waitFor();
    // PLAN-16
    await tab.page.getByRole('cell', { name: '€9 / month' }).waitFor();
    expectQuiet(tab);
    await tab.close();
  });

  it('A person hides their account from a server, and shows it again', async () => {
    const person = await buildMember(guild);
    const tab = await openTab(browser, person);
    const { page } = tab;
    const { guildId } = guild;
    const isLinked = async () => (await findMember(guildId, person.chatUserId))?.state === 'linked';
    await tab.open('/me');
    await page.getByText('Can see it', { exact: true }).waitFor();
    await page.getByRole('button', { name: /Hide your account in/ }).click();
    await page.getByText('Hidden', { exact: true }).waitFor();
    expect(await isLinked()).to.equal(false);
    await page.getByRole('button', { name: /Show your account in/ }).click();
    await page.getByText('Can see it', { exact: true }).waitFor();
    expect(await isLinked()).to.equal(true);
    expectQuiet(tab);
    await tab.close();
  });

  it('The page “You” shows a person their account, and signs them out everywhere', async () => {
    const person = await buildMember(guild);
    const tab = await openTab(browser, person);
    const { page } = tab;
    await tab.open('/me');
    await page.getByRole('link', { name: new RegExp(person.gameUsername) }).waitFor();
    await page.getByText('this one').waitFor();
    await page.getByRole('button', { name: 'Sign out everywhere' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click();
    await page.getByRole('heading', { level: 1, name: /Discord roles/ }).waitFor();
    expect((await page.request.get('/api/auth/me')).status()).to.equal(401);
    await tab.close();
  });
});
