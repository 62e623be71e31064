import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import { checkSetup } from '../../src/edges/operations/doctor.js';
import { buildTeammate } from '../features/team/team-setup.js';
import { startChromium } from '../support/chromium.js';
import { platformAdminId } from '../support/world.js';
import { type HeldLoad, holdLoads, loadHeld, type Outline } from './held-load.js';
import { buildLivingGuild, type LivingGuild } from './living-guild.js';
import { buildLivingTeam, type LivingTeam } from './living-team.js';
import { expectQuiet, keepPicture, openTab, settled } from './web-page.js';

/** Every page with data. Its own name stands for a page whose title is in its data. */
const pages = [
  ...['', '/setup', '/members', '/people', '/mappings', '/mappings/new', '/mappings/import', '/mappings/:mapping'],
  ...['/groups', '/changes', '/changes?tab=made', '/move', '/settings', '/config', '/log', '/webhooks'],
  ...['/groups/:group/ranks', '/groups/:group/requests'],
  ...['/webhooks/:webhook', '/webhooks/:webhook/:delivery', '/team', '/tokens', '/plan'],
].map((path) => `/g/:guild${path}`);
const ownPages = ['/g', '/me', '/admin', '/admin/doctor'];
/** Without a sign-in. */
const openPages = ['/', '/sign-in'];

/** Their title is the shown thing's name. */
const named = /:mapping|:webhook|:group/;

/** The most that a page may shift, by the browser's own measure: from 0.1 on, Google calls a page unsteady. */
const mostShift = 0.1;
/** How far a heading may move, in px: data have a line more or less. */
const mostMoved = 48;
const screenHeights = { 360: 740, 1440: 900 } as const;
type Width = keyof typeof screenHeights;

/** How far the headings on the first screen move at most. */
const movedBetween = (before: Outline, after: Outline, width: Width): number =>
  Math.max(
    0,
    ...Object.entries(before.headings).flatMap(([text, top]) => {
      const then = after.headings[text];
      return then === undefined || top > screenHeights[width] ? [] : [Math.abs(then - top)];
    }),
  );

// DASH-76
describe('The pages while they load', () => {
  let browser: Browser;
  let guild: LivingGuild;
  let team: LivingTeam;
  /** A server with three in the team, as most are. */
  let small: LivingGuild;
  let visitor: { chatUserId: string; username: string };
  let mappingId: string;
  /** Several, so that no one exceeds the limits. */
  let admins: { chatUserId: string; username: string }[];
  before(async function () {
    browser = await startChromium(this);
    guild = await buildLivingGuild('Ranger Base', 5);
    team = await buildLivingTeam(guild);
    small = await buildLivingGuild('Ranger Post', 1);
    visitor = await buildTeammate(small, 'manager');
    await buildTeammate(small, 'admin', 'invited');
    mappingId = (await guild.api.get(`${guild.path}/mappings`)).body.data[0].mappingId;
    admins = await Promise.all([1, 2, 3, 4].map(() => buildTeammate(guild, 'admin')));
    await checkSetup();
  });
  after(async () => {
    await team?.receiver.close();
    await browser?.close();
  });

  for (const [index, path] of [...pages, ...ownPages, ...openPages].entries()) {
    for (const width of [1440, 360] as const) {
      it(`The title stands first, and nothing jumps when the rest comes, at ${width} px: ${path}`, async () => {
        const isSmall = path.endsWith('/team') || path === '/me';
        const person = path.startsWith('/admin')
          ? { chatUserId: platformAdminId, username: 'operator' }
          : isSmall
            ? // Their sessions, each with a line, are these two tabs'.
              path === '/me'
              ? visitor
              : small.owner
            : (admins[index % admins.length] ?? guild.owner);
        const scheme = width === 1440 ? 'light' : 'dark';
        const isOpen = openPages.includes(path);
        const tab = await openTab(browser, isOpen ? null : person, { width, scheme });
        if (!isOpen) await tab.page.addInitScript(`localStorage.setItem('rolelink-signed-in', '1')`);
        const address = path
          .replace(':guild', (isSmall ? small : guild).guildId)
          .replace(':mapping', mappingId)
          .replace(':group', guild.groupId)
          .replace(':webhook', team.webhookId)
          .replace(':delivery', team.deliveryId);
        const name = path === '/' ? 'landing' : path.replace('/g/:guild', 'guild').replaceAll(/[/:]+/g, '-');
        const load = await loadHeld(tab.page, address, () => keepPicture(tab.page, `waiting-${name}-${width}`, false));
        process.stdout.write(`      ${toldOf(load, width)}\n`);
        expectSteady(load, path, width);
        expectQuiet(tab);
        await tab.close();
      });
    }
  }

  // DASH-77
  it('A screen reader is told once that a page loads, and outlines stand still under reduced motion', async () => {
    const tab = await openTab(browser, small.owner);
    const { page } = tab;
    await tab.open('/g');
    const loading = page.getByText('Loading …', { exact: true });
    const movesOf = () =>
      page.evaluate<string>(`getComputedStyle(document.querySelector('[data-waiting]')).animationName`);
    await loadHeld(page, `/g/${small.guildId}`, async () => {
      expect(await page.locator('[data-waiting]').count()).to.be.greaterThan(1);
      expect(await loading.count()).to.equal(1);
      expect(await page.locator('[data-waiting]:not([aria-hidden="true"])').count()).to.equal(0);
      expect(await movesOf()).to.equal('none');
      await page.emulateMedia({ reducedMotion: 'no-preference' });
      expect(await movesOf()).not.to.equal('none');
    });
    await loading.waitFor({ state: 'detached' });
    await tab.close();
  });

  it('On the way to another page its title and outline stand while its script is missing', async () => {
    const tab = await openTab(browser, small.owner);
    const { page } = tab;
    await tab.open(`/g/${small.guildId}/groups`);
    const gates = await holdLoads(page);
    await page.getByRole('link', { name: 'Changes' }).click();
    await page.getByRole('heading', { level: 1, name: 'Changes' }).waitFor();
    expect(await page.locator('aside nav a').count()).to.be.greaterThan(10);
    expect(await page.locator('[data-waiting]').count()).to.be.greaterThan(0);
    for (const gate of Object.values(gates)) gate.open();
    await settled(page);
    await page.getByRole('heading', { level: 1, name: 'Changes' }).waitFor();
    expectQuiet(tab);
    await tab.close();
  });
});

const toldOf = ({ atFirst, scripted, whole, shift }: HeldLoad, width: Width): string =>
  [
    `shift ${shift.toFixed(3)}`,
    `moved ${movedBetween(atFirst, whole, width)}, ${movedBetween(scripted, whole, width)} px`,
    `heights ${[atFirst, scripted, whole].map(({ height }) => height).join(' → ')}`,
  ].join(' · ');

function expectSteady({ atFirst, framed, scripted, whole, shift }: HeldLoad, path: string, width: Width): void {
  for (const step of [atFirst, framed, scripted]) {
    expect(step.title).not.to.equal('');
    if (!named.test(path)) expect(step.title).to.equal(whole.title);
    const moved = `the title moved: ${JSON.stringify([step, whole])}`;
    expect(Math.abs(step.titleTop - whole.titleTop), moved).to.be.at.most(2);
    expect(step.links, 'the frame').to.equal(whole.links);
    expect(movedBetween(step, whole, width), JSON.stringify([step.headings, whole.headings])).to.be.at.most(mostMoved);
  }
  expect(shift, 'layout shift').to.be.at.most(mostShift);
}
