import { expect } from 'chai';
import type { Browser, Locator } from 'playwright-core';
import { purgeRateLimits } from '../../src/edges/http/rate-limits.js';
import { hourMs } from '../../src/lib/time.js';
import { memberWrites } from '../features/sync/sync-setup.js';
import { withPromptSyncs } from '../support/background.js';
import { eventually, type TestPerson } from '../support/build.js';
import { startChromium } from '../support/chromium.js';
import { buildMovingGuild, differing } from '../support/moving-guild.js';
import { world } from '../support/world.js';
import { faultsOf, keepPicture, openTab } from './web-page.js';

const people = 500;
const binds = 40;
const mostPresses = 15;
/** Each wait for work on everybody lasts as long as a busy machine needs. */
const slowMs = 600_000;

// OBS-94, OBS-95, DASH-138
describe('Coming from another bot, on the web', function () {
  this.timeout(1_800_000);
  withPromptSyncs();
  let browser: Browser;
  before(async function () {
    browser = await startChromium(this);
  });
  after(() => browser?.close());

  it(`A server with ${people} people and ${binds} binds moves in at most ${mostPresses} presses, writes to nobody before, and takes it back`, async () => {
    const { discord } = await world();
    const guild = await buildMovingGuild({ people, ranks: binds });
    const { members, roleIds } = guild;
    const rolesOf = ({ chatUserId }: TestPerson) => [...(discord.member(guild.guildId, chatUserId)?.roleIds ?? [])];
    const before = members.map((person) => rolesOf(person).sort().join());
    discord.forgetRequests();
    const tab = await openTab(browser, guild.owner);
    const { page } = tab;
    let presses = 0;
    // No person presses so fast: each press begins another minute of the limit on requests.
    const click = async (target: Locator) => {
      presses += 1;
      await purgeRateLimits(new Date(Date.now() + hourMs));
      await target.click({ timeout: slowMs });
    };
    const press = (name: string) => click(page.getByRole('button', { name, exact: true }).last());
    const follow = (name: string) => click(page.getByRole('main').getByRole('link', { name, exact: true }));
    const now = page.locator('li[aria-current="step"]');
    const step = (words: string) => now.getByText(words, { exact: true }).waitFor({ timeout: slowMs });
    const type = async (text: string) => {
      presses += 1;
      await page.getByRole('textbox').last().fill(text);
    };

    await tab.open(`/g/${guild.guildId}`);
    await follow('Coming from another bot?');
    await step('Observe');
    expect(await faultsOf(page, 1440)).to.deep.equal([]);
    await press('Observe first');
    await step('People');
    await keepPicture(page, 'flow-move');
    await follow('Import people');
    await type(guild.people);
    await press('Show changes');
    await press('Import');
    await page.getByRole('heading', { name: 'Last import' }).waitFor({ timeout: slowMs });
    await follow('From another bot');
    await page.getByText(`${people} people`).waitFor();
    await step('Rules');
    await follow('Import rules');
    presses += 1;
    await page.getByLabel('Where is it from?').selectOption('A CSV list');
    await type(guild.rules);
    await press('Show changes');
    await press(`Import ${binds}`);
    await step('Compare');
    await press('Compare now');
    const head = `Bloxlink and Rolelink agree on ${people + 1 - differing} of ${people + 1} people; these ${differing} differ, and why`;
    await page.getByRole('heading', { name: head }).waitFor({ timeout: slowMs });
    await page.getByRole('radio', { name: `Lose roles (${differing})`, checked: true }).waitFor({ state: 'attached' });
    await keepPicture(page, 'flow-compare');
    expect(await faultsOf(page, 1440)).to.deep.equal([]);
    await page.getByRole('button', { name: 'Go live', disabled: false }).waitFor({ timeout: slowMs });
    expect(await memberWrites(guild), 'nobody is changed before').to.deep.equal([]);
    await press('Go live');
    await page.getByRole('dialog').getByText(`${differing} people would change`, { exact: false }).waitFor();
    await press('Go live');
    process.stdout.write(`      ${presses} presses\n`);
    expect(presses).to.be.at.most(mostPresses);
    const isRight = (person: TestPerson, index: number) => rolesOf(person)[0] === roleIds[index % binds];
    await eventually(() => members.every(isRight), 'the switch', slowMs);
    await page.getByText('Rolelink gives out the roles').waitFor();
    await purgeRateLimits(new Date(Date.now() + hourMs));
    await tab.open(`/g/${guild.guildId}/move`);
    await step('Stop the other bot');
    await tab.open(`/g/${guild.guildId}/changes`);
    await press('Undo the switch');
    await page.getByRole('dialog').getByRole('button', { name: 'Undo the switch' }).click();
    const isAsBefore = () => members.map((person) => rolesOf(person).sort().join()).join() === before.join();
    await eventually(isAsBefore, 'the undo', slowMs);
    await page.getByText('The switch has been undone').waitFor();
    // The pages of so long a walk may still meet the limit, after which they ask again.
    const others = tab.complaints.filter((line) => !line.includes('status of 429'));
    expect(others).to.deep.equal([]);
    await tab.close();
  });
});
