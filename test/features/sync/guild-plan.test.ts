import { expect } from 'chai';
import { config } from '../../../src/config/config.js';
import { Members } from '../../../src/features/members/member-model.js';
import { type GuildPlanOptions, type PlannedPage, planGuild } from '../../../src/features/sync/plan/guild-plan.js';
import { readRules } from '../../../src/features/sync/plan/guild-rules.js';
import { configureRoblox } from '../../../src/platforms/roblox/roblox-config.js';
import { buildPerson } from '../../support/build.js';
import { world } from '../../support/world.js';
import { buildResyncGuild, memberWrites, type ResyncGuild } from './resync-setup.js';

const plan = async ({ guild }: ResyncGuild, options: Partial<GuildPlanOptions> = {}): Promise<PlannedPage[]> => {
  const pages: PlannedPage[] = [];
  const all = { rules: await readRules(guild), ...options };
  for await (const page of planGuild(guild, all, new AbortController().signal)) pages.push(page);
  return pages;
};
const pagesRead = async (): Promise<number> => {
  const { discord } = await world();
  return discord.requests.filter(({ path }) => path.endsWith('/members')).length;
};
const membershipsRead = async (): Promise<number> => {
  const { roblox } = await world();
  return roblox.requests.filter(({ path }) => path.endsWith('/memberships')).length;
};
const idsOf = (pages: PlannedPage[]) =>
  pages.flatMap(({ differing }) => differing.map(({ member }) => member.chatUserId));

describe('The plan of a guild', () => {
  it('The plan of a guild covers every page once, with the fewest reads, and writes nothing', async () => {
    const { discord, roblox } = await world();
    const guild = await buildResyncGuild({ count: 1_050, inStep: 1_048 });
    const pages = await plan(guild, { ranksAhead: true });
    expect(pages.map(({ members }) => members)).to.deep.equal([999, 52]);
    expect(await pagesRead()).to.equal(2);
    // 11 pages for the group of 1,050 are fewer than 21 filters with 50 people.
    expect(await membershipsRead()).to.equal(11);
    expect(idsOf(pages)).to.deep.equal(guild.people.slice(1_048).map(({ chatUserId }) => chatUserId));
    expect(pages.at(-1)?.next).to.equal(null);

    const [, last] = pages;
    discord.forgetRequests();
    roblox.forgetRequests();
    const rest = await plan(guild, { after: pages[0]?.next ?? '' });
    expect(rest.map(({ members, next }) => [members, next])).to.deep.equal([[52, null]]);
    expect(rest[0]?.differing).to.deep.equal(last?.differing);
    // The 52 on this page only: 50 and 2 in a filter.
    expect(await membershipsRead()).to.be.at.most(2);

    discord.forgetRequests();
    const named = [guild.people[1_049], guild.people[3]].flatMap((person) => person?.chatUserId ?? []);
    expect(idsOf(await plan(guild, { memberIds: named }))).to.deep.equal([named[0]]);
    expect(await pagesRead()).to.equal(2);
    expect(await memberWrites(guild.guildId)).to.deep.equal([]);
  });

  it('The plan of a guild treats people without a link by the same rules, and leaves out bots', async () => {
    const { discord } = await world();
    const guild = await buildResyncGuild({ count: 1 });
    const stranger = await buildPerson();
    discord.join(guild.guildId, stranger.chatUserId, { roleIds: [guild.memberRole] });
    const [page] = await plan(guild);
    expect(page?.members).to.equal(3);
    expect(page?.differing).to.have.lengthOf(1);
    expect(page?.differing[0]).to.deep.include({ gameUserId: null, absentFrom: [] });
    expect(page?.differing[0]?.plan.remove).to.deep.equal([guild.memberRole]);
  });

  it('The plan of a guild names the groups that a member with a lost role has left', async () => {
    const { roblox } = await world();
    const guild = await buildResyncGuild({ count: 3 });
    roblox.leaveGroup(guild.groupId, guild.people[1]?.gameUserId ?? '');
    const [page] = await plan(guild);
    expect(page?.differing).to.have.lengthOf(1);
    expect(page?.differing[0]).to.deep.include({
      gameUserId: guild.people[1]?.gameUserId,
      state: 'linked',
      absentFrom: [guild.groupId],
    });
  });

  it('The plan of a guild leaves people without an answer of Roblox alone', async () => {
    const guild = await buildResyncGuild({ count: 3 });
    const { guildId } = guild;
    const unknown = { guildId, chatUserId: guild.people[0]?.chatUserId ?? '' };
    await Members.update(unknown, { $set: { gameUserId: '999999999999' } });
    const { apiKey: _, ...withoutKey } = config().roblox;
    configureRoblox(withoutKey);
    try {
      const [page] = await plan(guild, { ranksAhead: true });
      expect(page).to.deep.include({ members: 4, unknown: 1, differing: [] });
    } finally {
      configureRoblox(config().roblox);
    }
  });

  it('The plan of a guild ends with the reason of its signal', async () => {
    const guild = await buildResyncGuild({ count: 1 });
    const rules = await readRules(guild.guild);
    const pages = planGuild(guild.guild, { rules, ranksAhead: true }, AbortSignal.abort(new Error('enough')));
    expect(await pages.next().catch((error: Error) => error.message)).to.equal('enough');
  });
});
