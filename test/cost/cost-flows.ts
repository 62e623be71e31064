import { expect } from 'chai';
import mongoose from 'mongoose';
import { Teammates } from '../../src/core/access/teammate-model.js';
import { systemActor } from '../../src/core/actors/actor.js';
import { changePlan } from '../../src/core/guilds/guild-service.js';
import { readSettings, writeSettings } from '../../src/core/settings/settings-service.js';
import { Mappings } from '../../src/features/mappings/mapping-model.js';
import { Members, memberIndexes } from '../../src/features/members/member-model.js';
import { syncMember } from '../../src/features/sync/member/member-sync.js';
import { Deliveries, deliveryListIndex } from '../../src/features/webhooks/delivery-model.js';
import { clock } from '../../src/lib/clock.js';
import { newId } from '../../src/lib/ids.js';
import { minuteMs, secondMs } from '../../src/lib/time.js';
import { labelsOf, phraseIn, privateAnswer } from '../commands/private-answer.js';
import { beginCheckout } from '../features/billing/billing-setup.js';
import { buildRankingGuild, rankedMember } from '../features/ranking/ranking-setup.js';
import { buildResyncGuild, resync } from '../features/sync/resync-setup.js';
import {
  buildGroupGuild,
  buildSettledMember,
  type GroupGuild,
  mapTo,
  pendingSyncOf,
  rankFrom,
} from '../features/sync/sync-setup.js';
import { buildEndpoint, deliver } from '../features/webhooks/delivery-setup.js';
import { asPerson } from '../support/api.js';
import { buildGuild, buildPerson, eventually, linkPerson, type TestPerson } from '../support/build.js';
import { world } from '../support/world.js';
import { asRequest, beside, type Measured, marginal, measure } from './cost-meter.js';

/** A guild with a group and a mapping by rank, on the plan enterprise, as every flow here finds it. */
async function buildMappedGuild(): Promise<GroupGuild & { roleId: string }> {
  const guild = await buildGroupGuild();
  const [roleId = ''] = await mapTo(guild, rankFrom(guild, 100));
  // A token's first use is noted; then none for a while.
  await guild.api.get(guild.path);
  return { ...guild, roleId };
}

/** `laterMs`: how much later the second mapping was made; an import makes all in one moment. */
const gettingPage =
  (laterMs: number, place: 'first' | 'later' = 'first') =>
  async (): Promise<Measured> => {
    const guild = await buildMappedGuild();
    const [{ _id: _, ...older } = expect.fail()] = await Mappings.find({ guildId: guild.guildId });
    const createdAt = new Date(older.createdAt.getTime() + laterMs);
    await Mappings.insert({ ...older, _id: newId('map', createdAt), createdAt });
    const path = `${guild.path}/mappings?limit=1`;
    const get = async (cursor = '') => {
      const { status, body } = await guild.api.get(path + cursor);
      expect([status, body.data.length]).to.deep.equal([200, 1]);
      return body.nextCursor;
    };
    if (place === 'first') return measure(async () => expect(await get()).to.be.a('string'));
    const cursor = `&cursor=${await get()}`;
    return measure(async () => expect(await get(cursor)).to.equal(null));
  };

async function putMapping(): Promise<Measured> {
  const guild = await buildMappedGuild();
  const { body } = await guild.api.get(`${guild.path}/mappings`);
  const { mappingId } = body.data[0];
  const draft = { condition: rankFrom(guild, 255), roleIds: [guild.roleId], name: 'Owners' };
  return measure(async () => {
    const { status } = await guild.api.put(`${guild.path}/mappings/${mappingId}`, draft);
    expect(status).to.equal(200);
  });
}

const getting = (list: string) => async (): Promise<Measured> => {
  const guild = await buildMappedGuild();
  await buildSettledMember(guild);
  return measure(async () => {
    const { status, body } = await guild.api.get(`${guild.path}/${list}`);
    expect([status, body.data.length]).to.deep.equal([200, 1]);
  });
};

/** A person with an account and an invitation to a team. */
async function getMe(): Promise<Measured> {
  const guild = await buildMappedGuild();
  const person = await buildSettledMember(guild);
  const { guildId, ownerId: invitedBy } = guild;
  const { chatUserId, username } = person;
  const invitation = { role: 'viewer', state: 'invited', invitedBy, invitedAt: new Date() } as const;
  await Teammates.insert({ guildId, chatUserId, username, ...invitation });
  const browser = await asPerson(person);
  return measure(async () => {
    const { body } = await browser.get('/api/auth/me');
    expect([body.account.gameUserId, body.invitations.length]).to.deep.equal([person.gameUserId, 1]);
  });
}

async function pressVerify(): Promise<Measured> {
  const { discord } = await world();
  const guild = await buildMappedGuild();
  const person = await buildSettledMember(guild, { linked: false });
  await privateAnswer(discord.command(guild.guildId, guild.ownerId, 'panel'));
  const panel = discord.messages(discord.channel(guild.guildId).id).at(-1);
  if (panel === undefined) throw new Error('There is no panel.');
  return measure(async () => {
    const choice = await privateAnswer(discord.press(guild.guildId, person.chatUserId, panel, 'Verify'));
    expect(labelsOf(choice)).to.have.length(3);
  });
}

/** "I've added it", by a person that gets one role and their nickname. */
async function pressDone(): Promise<Measured> {
  const { discord, roblox } = await world();
  const guild = await buildMappedGuild();
  const person = await buildSettledMember(guild, { linked: false });
  roblox.setRank(guild.groupId, person.gameUserId, 100);
  const press = (message: { id: string; channelId: string }, label: string) =>
    discord.press(guild.guildId, person.chatUserId, message, label);
  const choice = await privateAnswer(discord.command(guild.guildId, person.chatUserId, 'verify'));
  const form = await press(choice, 'Use a profile code');
  const phrase = await privateAnswer(discord.submit(form, { username: person.gameUsername }));
  roblox.setAbout(person.gameUserId, phraseIn(phrase));
  return measure(async () => {
    const { words } = await privateAnswer(press(phrase, "I've added it"));
    expect(words).to.contain('You are now linked');
  });
}

async function postCompletion(): Promise<Measured> {
  const { roblox } = await world();
  const guild = await buildMappedGuild();
  const person = await buildSettledMember(guild, { linked: false });
  const { gameUserId, gameUsername } = person;
  roblox.setRank(guild.groupId, gameUserId, 100);
  const browser = await asPerson(person);
  const wish = { guildId: guild.guildId, method: 'profile_code' };
  const { token, phrase } = (await browser.post('/api/verification/session', wish)).body;
  roblox.setAbout(gameUserId, phrase);
  return measure(async () => {
    const { status, body } = await browser.post('/api/verification/complete', { token, gameUsername });
    expect([status, body.sync?.added]).to.deep.equal([200, [guild.roleId]]);
  });
}

const syncing = (changes: boolean) => async (): Promise<Measured> => {
  const { roblox } = await world();
  const guild = await buildMappedGuild();
  const person = await buildSettledMember(guild);
  if (changes) roblox.setRank(guild.groupId, person.gameUserId, 100);
  return measure(async () => {
    const { status, body } = await guild.api.post(`${guild.path}/members/${person.chatUserId}/resync`);
    expect([status, body.added.length]).to.deep.equal([200, changes ? 1 : 0]);
  });
};

/** The sync alone, as presses, joins and jobs run it. */
const syncingAlone = (changes: boolean) => async (): Promise<Measured> => {
  const { roblox } = await world();
  const guild = await buildMappedGuild();
  const person = await buildSettledMember(guild);
  if (changes) roblox.setRank(guild.groupId, person.gameUserId, 100);
  const cause = { trigger: 'command', actor: systemActor('test') } as const;
  return measure(() => asRequest(() => syncMember(guild.guild, person.chatUserId, cause)));
};

const toldExperiences = 2;

/** The same in a server whose running games are told: the message goes out a second later. */
async function syncingTold(): Promise<Measured> {
  const { roblox } = await world();
  const guild = await buildMappedGuild();
  const universeIds = Array.from({ length: toldExperiences }, () => roblox.addUniverse().id);
  await writeSettings(guild.guildId, { ...(await readSettings(guild.guildId)), universeIds });
  const person = await buildSettledMember(guild);
  const heard = () => universeIds.flatMap((id) => roblox.universe(id).messages).length;
  await eventually(() => heard() === toldExperiences, 'the link');
  roblox.setRank(guild.groupId, person.gameUserId, 100);
  const cause = { trigger: 'command', actor: systemActor('test') } as const;
  const measured = await measure(async () => {
    await asRequest(() => syncMember(guild.guild, person.chatUserId, cause));
    await eventually(() => heard() === 2 * toldExperiences, 'the role');
  });
  await writeSettings(guild.guildId, { ...(await readSettings(guild.guildId)), universeIds: [] });
  return measured;
}

async function join(): Promise<Measured> {
  const { discord, roblox } = await world();
  const guild = await buildMappedGuild();
  const person: TestPerson = await buildPerson();
  await linkPerson(null, person);
  roblox.setRank(guild.groupId, person.gameUserId, 100);
  const { guildId } = guild;
  const { chatUserId } = person;
  const isOver = async () => {
    const lease = await mongoose.connection
      .collection<{ _id: string; owner: string }>('leases')
      .findOne({ _id: `sync:${guildId}:${chatUserId}` });
    return lease?.owner === '' && (await pendingSyncOf(guild, person)) === undefined;
  };
  return measure(
    async () => {
      discord.join(guildId, chatUserId);
      await beside(() => eventually(isOver, 'the sync of joining'));
      expect(discord.member(guildId, chatUserId)?.roleIds).to.deep.equal([guild.roleId]);
    },
    { ids: [guildId, chatUserId, person.gameUserId] },
  );
}

/** One more delivery to an endpoint that is being delivered to, from its storing on. */
async function delivery(): Promise<Measured> {
  const hint = deliveryListIndex;
  const deliverMany = async (count: number): Promise<Measured> => {
    const guild = await buildGuild();
    const endpoint = await buildEndpoint(guild);
    const { webhookId } = endpoint;
    const areOver = async () =>
      (await Deliveries.count({ guildId: guild.guildId, webhookId, state: 'succeeded' }, { hint })) === count;
    const measured = await measure(
      async () => {
        await deliver(guild, endpoint, count);
        await beside(() => eventually(areOver, 'the deliveries'));
      },
      { ids: [guild.guildId, webhookId] },
    );
    await endpoint.receiver.close();
    return measured;
  };
  return marginal(await deliverMany(1), await deliverMany(31), 30);
}

/** A paid checkout's first event `customer.subscription.created`. */
async function stripeEvent(): Promise<Measured> {
  const { stripe, url } = await world();
  const guild = await buildGuild();
  await changePlan(guild.guildId, 'free');
  const page = await beginCheckout(guild, 'pro');
  stripe.events.hold();
  const before = stripe.events.all.length;
  stripe.pay(page);
  stripe.events.release();
  const told = stripe.events.all.slice(before).find(({ body }) => body.includes('customer.subscription.created'));
  const { body = '' } = told ?? {};
  return measure(async () => {
    const headers = { 'content-type': 'application/json', 'stripe-signature': stripe.events.sign(body) };
    const { status } = await fetch(`${url}/api/billing/webhook`, { method: 'POST', headers, body });
    expect(status).to.equal(200);
  });
}

/** One more member with one role by the guild's resync, without a wait for a rate limit. */
async function resyncChange(): Promise<Measured> {
  const most = 8;
  const resyncMany = async (changes: number): Promise<Measured> => {
    const guild = await buildResyncGuild({ count: most, inStep: most - changes });
    // A resync's guild reading is valid for two seconds.
    clock.freeze(new Date());
    let tookMs = 0;
    try {
      const measured = await measure(
        async () => {
          const startedAt = performance.now();
          const { changed } = await beside(() => resync(guild));
          tookMs = performance.now() - startedAt;
          expect(changed).to.equal(changes);
        },
        { jobs: /^job_/ },
      );
      return withoutLooks(measured, tookMs);
    } finally {
      clock.restore();
    }
  };
  return marginal(await resyncMany(1), await resyncMany(most), most - 1);
}

/** Each second a resync checks in two commands whether it is still wanted: the job and the guild. */
function withoutLooks({ cost, details }: Measured, tookMs: number): Measured {
  const looks = Math.min(Math.floor(tookMs / secondMs), details.filter((line) => line === 'find plans').length);
  return { cost: { ...cost, database: cost.database - 2 * looks }, details };
}

async function getGuild(): Promise<Measured> {
  const guild = await buildMappedGuild();
  return measure(async () => {
    const { status } = await guild.api.get(guild.path);
    expect(status).to.equal(200);
  });
}

/** Several webhooks' statistics, for which no webhook costs its own command. */
async function getStatistics(): Promise<Measured> {
  const guild = await buildMappedGuild();
  const endpoints = [await buildEndpoint(guild), await buildEndpoint(guild), await buildEndpoint(guild)];
  const measured = await measure(async () => {
    const { status, body } = await guild.api.get(`${guild.path}/webhooks/statistics`);
    expect([status, body.data.length]).to.deep.equal([200, endpoints.length]);
  });
  for (const { receiver } of endpoints) await receiver.close();
  return measured;
}

async function lookUp(): Promise<Measured> {
  const guild = await buildMappedGuild();
  const { gameUserId } = await buildSettledMember(guild);
  return measure(async () => {
    const { status, body } = await guild.api.post(`${guild.path}/members/lookup`, { gameUserIds: [gameUserId] });
    expect([status, body.data.length]).to.deep.equal([200, 1]);
  });
}

const reportedAtOnce = 100;

/** 1,000 facts about 100 people, of which none makes a sync pending. */
async function putFacts(): Promise<Measured> {
  const guild = await buildMappedGuild();
  const person = await buildSettledMember(guild);
  const { guildId } = guild;
  const stored = (await Members.findOne({ guildId, chatUserId: person.chatUserId })) ?? expect.fail();
  const { _id: _, ...member } = stored;
  const ids = Array.from({ length: reportedAtOnce }, (__, n) => String(Number(person.gameUserId) * 1_000 + n));
  await Members.acrossGuilds.collection.insertMany(
    ids.map((gameUserId, n) => ({
      ...member,
      chatUserId: String(BigInt(person.chatUserId) + BigInt(n + 1)),
      gameUserId,
    })),
  );
  const facts = Object.fromEntries(Array.from({ length: 10 }, (__, n) => [`key_${n}`, n]));
  const people = ids.map((gameUserId) => ({ gameUserId, facts }));
  const measured = await measure(async () => {
    const { body } = await guild.api.put(`${guild.path}/facts`, { people });
    expect(body.data.every(({ status }: { status: string }) => status === 'stored')).to.equal(true);
  });
  await Members.acrossGuilds.collection.deleteMany({ guildId }, { hint: memberIndexes.chatUserId });
  return measured;
}

/** A promotion with a new role on Discord. */
async function promotion(): Promise<Measured> {
  const guild = await buildRankingGuild();
  const [roleId = ''] = await mapTo(guild, rankFrom(guild, 6));
  // Rights of the key, the group and its roles are known, as in each later change.
  const first = await rankedMember(guild, 'Recruit');
  await guild.owner.post(guild.ranksPath, { memberId: first.chatUserId, step: 1 });
  const { chatUserId: memberId } = await rankedMember(guild, 'Recruit');
  const measured = await measure(async () => {
    const { status, body } = await guild.owner.post(guild.ranksPath, { memberId, step: 1 });
    expect([status, body.state]).to.deep.equal([200, 'done']);
  });
  expect((await world()).discord.member(guild.guildId, memberId)?.roleIds).to.deep.equal([roleId]);
  return measured;
}

async function getRanks(): Promise<Measured> {
  const guild = await buildRankingGuild();
  const { chatUserId: memberId } = await rankedMember(guild, 'Recruit');
  await guild.owner.post(guild.ranksPath, { memberId, step: 1 });
  // A token's first use is noted; then none for a while.
  await guild.api.get(guild.path);
  return measure(async () => {
    const { body } = await guild.api.get(guild.ranksPath);
    expect(body.data.length).to.equal(1);
  });
}

/** Each main flow, by the name under which the table holds its cost. */
export const flows = {
  'GET a guild': getGuild,
  'PUT a mapping': putMapping,
  'GET members': getting('members'),
  'POST a lookup of members': lookUp,
  'GET mappings': getting('mappings'),
  'GET a first page of mappings': gettingPage(minuteMs),
  'GET a first page of mappings, all made in one moment': gettingPage(0),
  'GET a later page of mappings': gettingPage(minuteMs, 'later'),
  'GET the statistics of webhooks': getStatistics,
  'GET /api/auth/me by cookie': getMe,
  'press Verify': pressVerify,
  'press "I\'ve added it"': pressDone,
  'POST a completion by profile code': postCompletion,
  'POST a sync of a member, nothing to do': syncing(false),
  'POST a sync of a member, one change': syncing(true),
  'a sync alone, nothing to do': syncingAlone(false),
  'a sync alone, one change': syncingAlone(true),
  'a sync alone, one change that two experiences hear': syncingTold,
  'join of a known person': join,
  'one more webhook delivery': delivery,
  'a Stripe event': stripeEvent,
  'one more change of a resync': resyncChange,
  'POST a promotion of a member': promotion,
  'GET the changes of ranks': getRanks,
  'PUT 1,000 facts about 100 people': putFacts,
} satisfies Record<string, () => Promise<Measured>>;

export type FlowName = keyof typeof flows;
