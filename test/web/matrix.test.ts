import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import { giveTeamRole } from '../commands/team.js';
import { buildMember } from '../support/build.js';
import { startChromium } from '../support/chromium.js';
import { buildLivingGuild, type LivingGuild } from './living-guild.js';
import { expectQuiet, faultsOf, keepPicture, looks, openTab } from './web-page.js';

/** Every page, by its picture's name; `:guild` stands for the server. */
const pages: Readonly<Record<string, string>> = {
  landing: '/',
  'sign-in': '/sign-in',
  servers: '/g',
  overview: '/g/:guild',
  setup: '/g/:guild/setup',
  members: '/g/:guild/members',
  'members-none': '/g/:guild/members?status=left',
  member: '/g/:guild/members?member=":member"',
  mappings: '/g/:guild/mappings',
  'mapping-new': '/g/:guild/mappings/new',
  mapping: '/g/:guild/mappings/:mapping',
  'mapping-import': '/g/:guild/mappings/import',
  groups: '/g/:guild/groups',
  move: '/g/:guild/move',
  preview: '/g/:guild/changes',
  resync: '/g/:guild/changes?tab=made',
  settings: '/g/:guild/settings',
  try: '/docs/try?operation=postGuildMappings',
  'not-found': '/g/100000000000000000',
};
/** Pages that need no sign-in. */
const open = ['landing', 'sign-in'];

/** A person in the team that is no member of Roblox's group. */
async function buildAdmin(guild: LivingGuild) {
  const admin = await buildMember(guild, { linked: false });
  await giveTeamRole(guild, admin.chatUserId, 'admin');
  return admin;
}

// DASH-17
describe('The pages of the dashboard', () => {
  let browser: Browser;
  let guild: LivingGuild;
  let mappingId: string;
  before(async function () {
    browser = await startChromium(this);
    guild = await buildLivingGuild();
    const mappings: { mappingId: string; condition: { type: string } }[] = (
      await guild.api.get(`${guild.path}/mappings`)
    ).body.data;
    // The one with the most parts: "and", "or" and their choices in narrow lines.
    mappingId = mappings.find(({ condition }) => condition.type === 'all')?.mappingId ?? '';
  });
  after(() => browser?.close());

  for (const look of looks) {
    const name = `${look.width}-${look.scheme}-${look.language}`;
    it(`Every page has no fault at ${look.width} px, ${look.scheme}, ${look.language}`, async () => {
      const nobody = await openTab(browser, null, look);
      // Several people, so that no one exceeds the limits.
      const admins = await Promise.all([1, 2, 3].map(async () => openTab(browser, await buildAdmin(guild), look)));
      const faults: Record<string, string[]> = {};
      for (const [index, [pageName, path]] of Object.entries(pages).entries()) {
        const admin = admins[index % admins.length] ?? nobody;
        const tab = open.includes(pageName) ? nobody : admin;
        const { guildId, members } = guild;
        await tab.open(
          path
            .replace(':guild', guildId)
            .replace(':mapping', mappingId)
            .replace(':member', members[0]?.chatUserId ?? ''),
        );
        await keepPicture(tab.page, `${pageName}-${name}`);
        const found = await faultsOf(tab.page, look.width);
        const told = tab.complaints.splice(0).filter((line) => !(pageName === 'not-found' && line.includes('404')));
        if (found.length + told.length > 0) faults[pageName] = [...found, ...told];
      }
      expect(faults).to.deep.equal({});
      for (const tab of [nobody, ...admins]) {
        expectQuiet(tab);
        await tab.close();
      }
    });
  }
});
