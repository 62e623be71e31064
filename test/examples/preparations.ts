import { config, useConfig } from '../../src/config/config.js';
import { linkedFacts } from '../../src/config/linked-facts.js';
import { systemActor } from '../../src/core/actors/actor.js';
import { storeLevels } from '../../src/core/counters/daily-levels.js';
import { findPresentGuild } from '../../src/core/guilds/guild-service.js';
import { linkAccount } from '../../src/features/accounts/account-service.js';
import { LinkedRoles } from '../../src/features/linked-roles/linked-role-model.js';
import { unlinkMember } from '../../src/features/members/member-unlinks.js';
import { clock } from '../../src/lib/clock.js';
import { dayMs } from '../../src/lib/time.js';
import { type HttpSide, sessionHeaders, startHttp } from '../edges/http/http-setup.js';
import {
  endableSession,
  endedImport,
  type FilledGuild,
  fillGuild,
  replayOf,
  runLongImport,
} from '../edges/http/walk-setup.js';
import { signRobloxWebhook } from '../sandbox/roblox/webhook-signature.js';
import { buildGuild, buildPerson, eventually, linkPerson } from '../support/build.js';
import { world } from '../support/world.js';
import {
  peopleToRank,
  personToRank,
  rankToPreview,
  rankToTakeBack,
  requestsShown,
  requestToAnswer,
} from './ranking-preparations.js';
import { missingRoles, shownSetup } from './setup-preparations.js';
import { goLive, undoSwitch } from './switch-preparations.js';

/** A call's changes against the walk's request. */
interface Change {
  headers?: Record<string, string>;
  body?: unknown;
  ids?: Record<string, string>;
  /** To be called when its work is done. */
  afterwards?: () => void;
}

/** A separate linked member, so that the walk's member stays linked. */
export async function memberToUnlink({ guildId }: FilledGuild) {
  const person = await buildPerson();
  (await world()).discord.join(guildId, person.chatUserId);
  await linkPerson(guildId, person);
  const { chatUserId: memberId, gameUserId } = person;
  return { body: { members: [{ memberId, gameUserId }] } };
}

/** A separate member to leave out, so that the walk member's syncs go on. */
export async function memberToLeaveOut(filled: FilledGuild): Promise<Change> {
  const { body } = await memberToUnlink(filled);
  return { body: { memberIds: body.members.map(({ memberId }) => memberId), leftOut: true } };
}

/** A member that an admin has just unlinked. */
export async function memberToLinkAgain(filled: FilledGuild): Promise<Change> {
  const { body } = await memberToUnlink(filled);
  const memberIds = body.members.map(({ memberId }) => memberId);
  const guild = await findPresentGuild(filled.guildId);
  if (guild === null) throw new Error('The bot is not in the guild.');
  for (const memberId of memberIds) await unlinkMember(guild, memberId, systemActor('test'));
  return { body: { memberIds } };
}

/** The walk member's other account, which no server uses. */
async function addAccount({ ids: { memberId = '' } }: FilledGuild): Promise<Change> {
  const { gameUserId, gameUsername } = await buildPerson();
  const game = { gameUserId, gameUsername, gameDisplayName: gameUsername };
  const proof = { chatUserId: memberId, chatUsername: 'member', guildId: null, game };
  await linkAccount({ ...proof, method: 'oauth', use: 'here' }, systemActor('test'));
  return { ids: { gameUserId } };
}

/** Preparations for single operations, by their routes' names. */
export const preparations: Record<string, (guild: FilledGuild) => Promise<Change>> = {
  async 'POST /api/billing/webhook'() {
    const { stripe } = await world();
    const body = stripe.events.all[0]?.body ?? '';
    return { body, headers: { 'stripe-signature': stripe.events.sign(body) } };
  },
  async 'GET /api/guilds/:guildId/history'({ guildId, ids: { mappingId = '' } }) {
    const holding = { [mappingId]: 1 };
    const reading = { guildId, linked: 1, rankAge: 40, rankTarget: 120, holding };
    await storeLevels([reading], new Date(clock.epochMs() - dayMs));
    return {};
  },
  async 'POST /api/privacy/roblox-webhook'() {
    const { roblox } = await world();
    const body = JSON.stringify({ EventType: 'SampleNotification', EventTime: clock.now() });
    return { body, headers: { 'roblox-signature': signRobloxWebhook(body, roblox.webhookSecret) } };
  },
  'DELETE /api/auth/me/accounts/:gameUserId': addAccount,
  async 'PUT /api/auth/me/accounts/:gameUserId'(filled) {
    return { ...(await addAccount(filled)), body: { guildIds: [filled.guildId] } };
  },
  async 'POST /api/verification/complete'({ ids, bodies, token }) {
    const { roblox } = await world();
    const http = await startHttp();
    const read = await http.send('GET', `/api/verification/session/${ids.token}`, { headers: await token('owner') });
    await http.close();
    const game = roblox.addUser({ username: 'Somebody' });
    roblox.setAbout(game.id, read.json.phrase);
    return { body: bodies['POST /api/verification/complete'] };
  },
  async 'POST /api/guilds/:guildId/verification/game-codes/redeem'({ guildId, member, token }) {
    const { roblox } = await world();
    await token('verifier');
    const http = await startHttp();
    const body = { guildId, method: 'game_code' };
    const begun = await http.send('POST', '/api/verification/session', { body, headers: member });
    await http.close();
    return { body: { code: begun.json.phrase, gameUserId: roblox.addUser({ username: 'Player' }).id } };
  },
  async 'PUT /api/guilds/:guildId/facts'({ ids: { gameUserId = '' } }) {
    return { body: { people: [{ gameUserId, facts: { level: 12, owns_pass: true, old: null } }] } };
  },
  async 'DELETE /api/guilds/:guildId/resync/:jobId'({ guildId, token }) {
    const { discord } = await world();
    const letGo = discord.inject({ match: new RegExp(`GET .*/guilds/${guildId}/members$`), held: true });
    const http = await startHttp();
    const started = await http.send('POST', `/api/guilds/${guildId}/resync`, {
      body: {},
      headers: await token('owner'),
    });
    await http.close();
    return { ids: { jobId: started.json.jobId }, afterwards: letGo };
  },
  'POST /api/guilds/:guildId/groups/:groupId/ranks': personToRank,
  'GET /api/guilds/:guildId/groups/:groupId/join-requests': requestsShown,
  'POST /api/guilds/:guildId/groups/:groupId/join-requests': requestToAnswer,
  'POST /api/guilds/:guildId/groups/:groupId/ranks/many': peopleToRank,
  'POST /api/guilds/:guildId/groups/:groupId/ranks/preview': rankToPreview,
  'POST /api/guilds/:guildId/groups/:groupId/ranks/:changeId/undo': rankToTakeBack,
  'POST /api/guilds/:guildId/members/left-out': memberToLeaveOut,
  'POST /api/guilds/:guildId/members/undo-unlink': memberToLinkAgain,
  'POST /api/guilds/:guildId/members/unlink': memberToUnlink,
  'POST /api/guilds/:guildId/people/import/:importId/undo': endedImport,
  'DELETE /api/guilds/:guildId/people/import': async (guild) => runLongImport(guild).then(() => ({})),
  'POST /api/guilds/:guildId/differences/go-live': goLive,
  'POST /api/guilds/:guildId/differences/undo': undoSwitch,
  'POST /api/guilds/:guildId/setup/roles': missingRoles,
  'POST /api/guilds/:guildId/setup/apply': shownSetup,
  'DELETE /api/verification/unlink': async ({ member }) => ({ headers: member }),
  async 'POST /api/guilds/:guildId/billing/checkout'() {
    const { guildId, ownerId } = await buildGuild();
    return { headers: await sessionHeaders(ownerId), ids: { guildId } };
  },
  'POST /api/guilds/:guildId/billing/portal': async ({ owner }) => ({ headers: owner }),
  'GET /api/auth/me': async ({ member }) => ({ headers: member }),
  async 'GET /api/auth/me/linked-roles'({ ids: { memberId = '' } }) {
    useConfig({ ...config(), linkedRoles: linkedFacts.parse('verified,rank:1') });
    const facts = [
      { key: 'verified', value: '1' },
      { key: 'rank_1', value: '100' },
    ];
    const [at, never] = [clock.now(), new Date('2100-01-01')];
    const told = { keys: 'verified,rank_1', written: { gameUsername: 'Player', facts, at } };
    const tokens = { tokens: 'sealed', tokensExpireAt: never };
    await LinkedRoles.create({
      _id: memberId,
      connectedAt: at,
      ...tokens,
      dueAt: never,
      wish: 1,
      failures: 0,
      ...told,
    });
    return { headers: await sessionHeaders(memberId) };
  },
  'POST /api/guilds/:guildId/webhooks/:webhookId/replay': replayOf,
  async 'DELETE /api/auth/me/sessions/:sessionId'({ ids: { memberId = '' } }) {
    return { ids: await endableSession(memberId), headers: await sessionHeaders(memberId) };
  },
  'POST /api/auth/logout': async ({ ids }) => ({ headers: await sessionHeaders(ids.memberId ?? '') }),
  'POST /api/auth/logout-everywhere': async () => ({ headers: await sessionHeaders((await buildGuild()).ownerId) }),
};

/** A guild that has bought its plan; from then on plans are sold, and not given. */
export async function fillPayingGuild(http: HttpSide): Promise<FilledGuild> {
  // Its content needs more than the default plan.
  useConfig({ ...config(), defaultPlan: 'enterprise' });
  const guild = await fillGuild();
  useConfig({ ...config(), defaultPlan: 'free' });
  const { stripe } = await world();
  const path = `/api/guilds/${guild.guildId}/billing`;
  const { json } = await http.send('POST', `${path}/checkout`, { body: { plan: 'pro' }, headers: guild.owner });
  stripe.pay(json.url);
  await eventually(async () => (await http.send('GET', path, { headers: guild.owner })).json.plan === 'pro');
  return guild;
}
