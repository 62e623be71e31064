import { expect } from 'chai';
import type { Browser, Locator, Page } from 'playwright-core';
import { readSettings } from '../../src/core/settings/settings-service.js';
import { findMember } from '../../src/features/members/member-service.js';
import { giveTeamRole } from '../commands/team.js';
import { answer } from '../features/webhooks/receiver.js';
import { buildMember, eventually, type TestPerson } from '../support/build.js';
import { startChromium } from '../support/chromium.js';
import { world } from '../support/world.js';
import { buildLivingGuild, type LivingGuild } from './living-guild.js';
import { buildLivingTeam, type LivingTeam } from './living-team.js';
import { buildNewServer, type NewServer } from './new-server.js';
import { choose, expectQuiet, openTab } from './web-page.js';

/** A person's hand: each act is one press. */
interface Hand {
  page: Page;
  click(target: Locator): Promise<void>;
  fill(field: Locator, text: string): Promise<void>;
  choose(label: string, option: string): Promise<void>;
  pick(list: Locator, value: string): Promise<void>;
  key(name: string): Promise<void>;
}

function countingHand(page: Page): { hand: Hand; presses: () => number } {
  let presses = 0;
  const counted =
    <Args extends unknown[]>(act: (...args: Args) => Promise<void>) =>
    (...args: Args) => {
      presses += 1;
      return act(...args);
    };
  const hand = {
    page,
    click: counted((target: Locator) => target.click()),
    fill: counted((field: Locator, text: string) => field.fill(text)),
    choose: counted((label: string, option: string) => choose(page, label, option)),
    pick: counted(async (list: Locator, value: string) => void (await list.selectOption({ value }))),
    key: counted((name: string) => page.keyboard.press(name)),
  };
  return { hand, presses: () => presses };
}

// DASH-65
describe('The main stories, in presses from the overview', () => {
  let browser: Browser;
  let guild: LivingGuild;
  let team: LivingTeam;
  before(async function () {
    browser = await startChromium(this);
    guild = await buildLivingGuild('Ranger Base', 8);
    team = await buildLivingTeam(guild);
  });
  after(async () => {
    await team?.receiver.close();
    await browser?.close();
  });

  /** Another admin for each story, so that nobody exceeds the limits. */
  async function admin(): Promise<TestPerson> {
    const person = await buildMember(guild, { linked: false });
    await giveTeamRole(guild, person.chatUserId, 'admin');
    return person;
  }

  /** Plays a story from a server's overview, its owner's or an admin's, and expects exactly its press count. */
  async function story(presses: number, play: (hand: Hand) => Promise<void>, own?: NewServer | LivingGuild) {
    const tab = await openTab(browser, own?.owner ?? (await admin()));
    await tab.open(`/g/${(own ?? guild).guildId}`);
    const counting = countingHand(tab.page);
    await play(counting.hand);
    expect(counting.presses()).to.equal(presses);
    expectQuiet(tab);
    await tab.close();
  }

  const goTo = ({ page, click }: Hand, name: string) =>
    click(page.getByRole('navigation').getByRole('link', { name, exact: true }));
  const press = ({ page, click }: Hand, name: string) => click(page.getByRole('button', { name, exact: true }));
  const confirm = ({ page, click }: Hand, name: string) =>
    click(page.getByRole('dialog').getByRole('button', { name, exact: true }));
  const rolesOf = async (chatUserId: string) =>
    (await world()).discord.member(guild.guildId, chatUserId)?.roleIds ?? [];

  async function personAt(index: number) {
    const person = guild.members[index];
    return person ?? expect.fail(`nobody at ${index}`);
  }

  async function findPerson(hand: Hand, name: string): Promise<void> {
    await hand.key('Control+k');
    await hand.fill(hand.page.getByRole('combobox', { name: 'Page, member or mapping' }), name);
    await hand.page.getByRole('option', { name: new RegExp(name) }).waitFor();
    await hand.key('Enter');
    await hand.page.getByRole('dialog').getByText(name).first().waitFor();
  }

  it('A new server with one group is set up in 7 presses', async () => {
    const server = await buildNewServer();
    const { discord } = await world();
    await story(
      7,
      async (hand) => {
        const { page } = hand;
        await hand.click(page.getByRole('link', { name: 'Start setup' }));
        await hand.fill(page.getByLabel('Find your group'), server.groupName);
        await press(hand, 'Find');
        await press(hand, 'Create 3 missing roles');
        await page.getByRole('row').filter({ hasText: 'Captain' }).getByText('ready').waitFor();
        await hand.pick(page.getByLabel('Channel for the panel'), discord.channel(server.guildId).id);
        await page.getByText("Change the panel's text").waitFor();
        await press(hand, 'Show the changes');
        await press(hand, 'Apply');
        await page.getByRole('heading', { level: 1, name: 'Rolelink is set up' }).waitFor();
        const roleIds = () => discord.member(server.guildId, server.person.chatUserId)?.roleIds ?? [];
        await eventually(() => roleIds().length === 2, 'the roles');
      },
      server,
    );
  });

  // DASH-67
  it('One more rank gets a role in 4 presses', () =>
    story(
      4,
      async (hand) => {
        await goTo(hand, 'Groups');
        await hand.click(hand.page.getByRole('link', { name: 'Captain 200' }));
        await hand.choose('Give', '@Moderator');
        await press(hand, 'Save');
        await hand.page.getByText('Saved.').waitFor();
        const { data } = (await guild.api.get(`${guild.path}/mappings`)).body;
        expect(data.at(-1).roleIds).to.deep.equal([guild.roles.Moderator]);
        expect(data.at(-1).condition.type).to.equal('group_role');
      },
      guild,
    ));

  it('A member is found by name with the reasons for their roles in 3 presses', () =>
    story(3, async (hand) => {
      const { username } = await personAt(1);
      await findPerson(hand, username);
      const why = hand.page.getByRole('region', { name: 'Why these roles' });
      await why.getByText('Rangers of the Northern Valley').first().waitFor();
    }));

  it('One member is synced in 4 presses', () =>
    story(4, async (hand) => {
      const { username, chatUserId } = await personAt(1);
      await findPerson(hand, username);
      await confirm(hand, 'Sync now');
      await hand.page.getByText('Sync finished.').waitFor();
      expect(await rolesOf(chatUserId)).to.include(guild.roles.Verified);
    }));

  it('Three members are unlinked in 6 presses', () =>
    story(
      6,
      async (hand) => {
        const people = await Promise.all([5, 6, 7].map(personAt));
        await goTo(hand, 'Members');
        for (const { username } of people)
          await hand.click(hand.page.getByLabel(`Select ${username}`, { exact: true }));
        await press(hand, 'Unlink');
        await confirm(hand, 'Unlink');
        await hand.page.getByText('3 people unlinked.').waitFor();
        for (const { chatUserId } of people)
          expect((await findMember(guild.guildId, chatUserId))?.state).to.not.equal('linked');
      },
      guild,
    ));

  it('The whole server is resynced after a dry run in 4 presses', () =>
    story(4, async (hand) => {
      const { chatUserId } = await personAt(2);
      await goTo(hand, 'Changes');
      await press(hand, 'Create a preview');
      await press(hand, 'Apply exactly this');
      await confirm(hand, 'Apply exactly this');
      await hand.page.waitForURL(/tab=made/);
      await hand.page.getByText('Completed').first().waitFor();
      expect(await rolesOf(chatUserId)).to.include(guild.roles.Verified);
    }));

  // DASH-66
  it('A mapping is changed and the change undone in 5 presses', () =>
    story(
      5,
      async (hand) => {
        const { page } = hand;
        const everybody = async () => (await guild.api.get(`${guild.path}/mappings`)).body.data[0];
        const { mappingId, name } = await everybody();
        await goTo(hand, 'Mappings');
        await hand.click(page.locator(`a[href$="${mappingId}"]`, { hasText: 'Edit' }));
        await hand.fill(page.getByLabel('Name', { exact: true }), 'By mistake');
        await press(hand, 'Save');
        await page.getByText('By mistake').waitFor();
        await press(hand, 'Undo');
        await page.getByText('Undone.').waitFor();
        expect((await everybody()).name).to.equal(name);
      },
      guild,
    ));

  it('A failed delivery is read and sent again in 4 presses', () =>
    story(4, async (hand) => {
      const { page } = hand;
      const { receiver, webhookId } = team;
      await goTo(hand, 'Webhooks');
      await hand.click(page.locator(`a[href$="${webhookId}"]`));
      await hand.click(page.getByRole('row', { name: /Failed/ }).getByRole('link'));
      await page.getByText('"error": "no room"').waitFor();
      receiver.behave(answer(204));
      await press(hand, 'Resend');
      await page.getByText('HTTP 204').waitFor();
    }));

  // DASH-47
  it('A token is made and tried in 7 presses', () =>
    story(7, async (hand) => {
      const { page } = hand;
      await goTo(hand, 'Bot tokens');
      await press(hand, 'Create a token');
      await hand.fill(page.getByRole('dialog').getByLabel('Name'), 'Statistics');
      await confirm(hand, 'Create a token');
      await hand.click(page.getByLabel("I've saved it"));
      await press(hand, 'Try it');
      const sent = page.waitForRequest((request) => request.url().endsWith(guild.path));
      await press(hand, 'Send');
      await page.getByText('200 OK').waitFor();
      const { authorization = '', cookie } = await (await sent).allHeaders();
      expect(authorization).to.match(/^Bot rlk_/);
      expect(cookie, 'the session').to.equal(undefined);
    }));

  it('A teammate is invited in 4 presses', async () => {
    const { username } = await buildMember(guild, { linked: false });
    await story(4, async (hand) => {
      const { page } = hand;
      await goTo(hand, 'Team');
      await hand.fill(page.getByRole('textbox', { name: 'Person' }), username);
      await hand.click(page.getByRole('list', { name: 'People found' }).getByRole('button', { name: username }));
      await press(hand, 'Invite');
      await page.getByRole('row', { name: new RegExp(`^${username}`) }).waitFor();
    });
  });

  it('A setting is changed in 3 presses', () =>
    story(3, async (hand) => {
      await goTo(hand, 'Settings');
      await hand.fill(hand.page.getByLabel('Template'), '[{chatUsername}]');
      await press(hand, 'Save');
      await hand.page.getByText('Saved.').first().waitFor();
      expect((await readSettings(guild.guildId)).nickname.template).to.equal('[{chatUsername}]');
    }));
});
