import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { Teammates } from '../../../src/core/access/teammate-model.js';
import { systemActor } from '../../../src/core/actors/actor.js';
import { auditActions } from '../../../src/core/audit/audit-actions.js';
import { type AuditEntry, AuditLog } from '../../../src/core/audit/audit-model.js';
import { changePlan } from '../../../src/core/guilds/guild-service.js';
import type { Route } from '../../../src/edges/http/route.js';
import { suspend } from '../../../src/features/admin/guild-suspension.js';
import { LinkedRoles } from '../../../src/features/linked-roles/linked-role-model.js';
import { Plans } from '../../../src/features/sync/plan/plan-model.js';
import { allRoutes, type HttpSide, sessionHeaders, startHttp, tokenHeaders } from '../../edges/http/http-setup.js';
import {
  admitted,
  endableSession,
  endedImport,
  everyRoute,
  type FilledGuild,
  fillGuild,
  isPage,
  pathTo,
  replayOf,
  runLongImport,
  validBody,
} from '../../edges/http/walk-setup.js';
import { memberToLeaveOut, memberToLinkAgain, memberToUnlink } from '../../examples/preparations.js';
import { peopleToRank, personToRank, rankToTakeBack, requestToAnswer } from '../../examples/ranking-preparations.js';
import { shownSetup } from '../../examples/setup-preparations.js';
import { goLive, undoSwitch } from '../../examples/switch-preparations.js';
import { addOther } from '../../features/accounts/other-account.js';
import { buy, sellPlans } from '../../features/billing/billing-setup.js';
import { readSources } from '../../structure/source-files.js';
import { withPromptSyncs } from '../../support/background.js';
import { buildGuild, buildMember, buildPerson } from '../../support/build.js';
import { platformAdminId, world } from '../../support/world.js';

const pageTexts: Record<string, string> = JSON.parse(
  readFileSync(new URL('../../../../src/dashboard/locales/en.json', import.meta.url), 'utf8'),
);

/** Routes that need not leave an entry for their caller, and why. */
const exceptions: Readonly<Record<string, string>> = {
  'POST /api/verification/session': 'asks for a proof; what comes of it is the change, and has its entries',
  'POST /api/verification/retry': 'likewise',
  'POST /verify/:token': 'is the page of these and of the proof, by the same functions',
  'POST /api/guilds/:guildId/sync/preview': 'writes nothing anywhere',
  'POST /api/guilds/:guildId/setup/preview': 'writes nothing anywhere',
  'POST /api/guilds/:guildId/groups/:groupId/ranks/preview': 'writes nothing anywhere',
  'PUT /api/guilds/:guildId/facts': 'would flood the log; a sync that follows has its entry, and /why shows the facts',
  'PATCH /api/guilds/:guildId/setup':
    'keeps choices that are in force only once they are applied; a group that it attaches has its entry',
  'PATCH /api/guilds/:guildId/move': 'keeps which steps of a guide are passed over, and nothing follows from it',
  'POST /api/guilds/:guildId/setup/roles': 'makes roles without permissions on Discord, whose audit log has them',
  'POST /api/billing/webhook': 'speaks for the provider; test/billing holds its events to their entries',
  'POST /api/guilds/:guildId/settings/restrictions/confirm':
    'changes only restrictions of a person below others; test/features/sync holds it to its entry',
  'POST /api/privacy/roblox-webhook': 'speaks for Roblox, and erases as the next does',
  'POST /api/admin/doctor': 'looks at the set-up anew, and writes nothing',
  'POST /api/guilds/:guildId/verification/game-codes/redeem':
    'is for tokens that may not ask who they are; test/features/verification holds it to its entry',
  'DELETE /api/auth/me': 'leaves an anonymous entry when all is erased; test/privacy holds it to that',
};

/** The difference between a call and the walk's request, so that it changes something after any earlier change. */
interface Call {
  ids?: Record<string, string>;
  body?: unknown;
  headers?: Record<string, string>;
}

/** A person with two sessions. */
async function endOthers({ ids: { memberId = '' } }: FilledGuild): Promise<Call> {
  const ids = await endableSession(memberId);
  return { ids, headers: await sessionHeaders(memberId) };
}

/** A person with another account than their main one. */
async function ownOther(): Promise<Call> {
  const person = await buildMember(await buildGuild());
  const { gameUserId } = await addOther(person);
  return { ids: { gameUserId }, headers: await sessionHeaders(person.chatUserId) };
}

/** Preparations for routes that need more than the walk's guild. */
const preparations: Readonly<Record<string, (filled: FilledGuild) => Promise<Call>>> = {
  'POST /api/guilds/:guildId/groups/:groupId/join-requests': requestToAnswer,
  'POST /api/guilds/:guildId/groups/:groupId/ranks': personToRank,
  'POST /api/guilds/:guildId/groups/:groupId/ranks/many': peopleToRank,
  'POST /api/guilds/:guildId/groups/:groupId/ranks/:changeId/undo': rankToTakeBack,
  'POST /api/guilds/:guildId/members/left-out': memberToLeaveOut,
  'DELETE /api/guilds/:guildId/people/import': async (filled) => runLongImport(filled).then(() => ({})),
  'POST /api/guilds/:guildId/people/import/:importId/undo': endedImport,
  'POST /api/guilds/:guildId/differences/go-live': goLive,
  'POST /api/guilds/:guildId/differences/undo': undoSwitch,
  'POST /api/guilds/:guildId/setup/apply': shownSetup,
  'POST /api/auth/logout': async ({ ids: { memberId = '' } }) => ({ headers: await sessionHeaders(memberId) }),
  'POST /api/guilds/:guildId/webhooks/:webhookId/replay': replayOf,
  'DELETE /api/auth/me/sessions': endOthers,
  'DELETE /api/auth/me/sessions/:sessionId': endOthers,
  async 'PUT /api/auth/me/consents/:guildId'() {
    const guild = await buildGuild();
    const { chatUserId } = await buildMember(guild);
    return { ids: { guildId: guild.guildId }, body: { shown: false }, headers: await sessionHeaders(chatUserId) };
  },
  async 'PUT /api/auth/me/accounts/:gameUserId'() {
    return { ...(await ownOther()), body: { main: true } };
  },
  'DELETE /api/auth/me/accounts/:gameUserId': ownOther,
  async 'DELETE /api/auth/me/linked-roles'() {
    const { chatUserId } = await buildPerson();
    const never = new Date('2100-01-01');
    const tokens = { tokens: 'sealed', tokensExpireAt: never };
    await LinkedRoles.create({
      _id: chatUserId,
      connectedAt: new Date(),
      ...tokens,
      dueAt: never,
      wish: 1,
      failures: 0,
    });
    return { headers: await sessionHeaders(chatUserId) };
  },
  async 'POST /api/verification/complete'() {
    const { roblox } = await world();
    const guild = await buildGuild();
    const { chatUserId, gameUserId, gameUsername } = await buildMember(guild, { linked: false });
    const wish = { method: 'profile_code', chatUserId };
    const { token, phrase } = (await guild.api.post('/api/verification/session', wish)).body;
    roblox.setAbout(gameUserId, phrase);
    return { body: { token, gameUsername }, headers: await sessionHeaders(chatUserId) };
  },
  async 'DELETE /api/verification/unlink'() {
    const { chatUserId } = await buildMember(await buildGuild());
    return { headers: await sessionHeaders(chatUserId) };
  },
  'POST /api/guilds/:guildId/members/undo-unlink': memberToLinkAgain,
  'POST /api/guilds/:guildId/members/unlink': memberToUnlink,
  async 'POST /api/guilds/:guildId/members/:memberId/resync'({ guildId, ids: { memberId = '' } }) {
    const { discord } = await world();
    discord.setNickname(guildId, memberId, 'Somebody');
    return {};
  },
  async 'DELETE /api/guilds/:guildId/resync/:jobId'({ guildId, ids: { jobId = '' } }) {
    const awaitingConfirmation = { losing: 1, share: 1, since: new Date() };
    await Plans.update(
      { _id: jobId, guildId },
      { $set: { state: 'running', open: true, awaitingConfirmation }, $unset: { finishedAt: 1 } },
    );
    return {};
  },
  async 'DELETE /api/guilds/:guildId/groups/:groupId'({ guildId, token }) {
    const { roblox, url } = await world();
    const { id: groupId } = roblox.addGroup({ name: 'Unused' });
    const headers = { ...(await token('owner')), 'content-type': 'application/json' };
    const body = JSON.stringify({ groupId });
    const added = await fetch(`${url}/api/guilds/${guildId}/groups`, { method: 'POST', headers, body });
    expect(added.status).to.equal(201);
    return { ids: { groupId } };
  },
  async 'POST /api/guilds/:guildId/mappings/import'({ bodies }) {
    const mapping = Object.assign({}, bodies['POST /api/guilds/:guildId/mappings'], {
      condition: { type: 'verified' },
    });
    return { body: { mappings: [mapping], dryRun: false } };
  },
  async 'POST /api/guilds/:guildId/team/invite'({ guildId }) {
    const { chatUserId } = await buildPerson();
    (await world()).discord.join(guildId, chatUserId);
    return { body: { chatUserId, role: 'viewer' } };
  },
  'PATCH /api/guilds/:guildId/team/:memberId': withTeammate,
  'DELETE /api/guilds/:guildId/team/:memberId': withTeammate,
  async 'POST /api/guilds/:guildId/billing/checkout'() {
    const { guildId, token } = await buildGuild();
    return { ids: { guildId }, headers: tokenHeaders(token) };
  },
  async 'POST /api/guilds/:guildId/billing/portal'() {
    const guild = await buildGuild();
    await buy(guild, 'pro');
    return { ids: { guildId: guild.guildId }, headers: tokenHeaders(guild.token) };
  },
  async 'POST /api/admin/guilds/:guildId/suspend'() {
    return { ids: { guildId: (await buildGuild()).guildId } };
  },
  async 'POST /api/admin/guilds/:guildId/unsuspend'() {
    const { guildId } = await buildGuild();
    await suspend(guildId, 'Spam', systemActor('test'));
    return { ids: { guildId } };
  },
};

async function withTeammate({ guildId }: FilledGuild): Promise<Call> {
  const { chatUserId, username } = await buildPerson();
  const more = {
    username,
    role: 'manager',
    state: 'active',
    invitedBy: platformAdminId,
    invitedAt: new Date(),
  } as const;
  await Teammates.insert({ guildId, chatUserId, ...more });
  return { ids: { memberId: chatUserId } };
}

const changesSomething = ({ method, options }: Route): boolean => method !== 'GET' && options.isRead !== true;

// LOG-1
describe('Entries of changing routes', () => {
  withPromptSyncs();
  let http: HttpSide;
  let guild: FilledGuild;
  let serial = 0;

  before(async () => {
    // The walk guild's resync waits behind those that earlier files have begun in this process.
    [http, guild] = [await startHttp(), await fillGuild()];
    await changePlan(guild.guildId, 'enterprise');
  });
  after(() => http.close());
  // The walk's guild has the largest plan, and those that are made later have one to buy.
  sellPlans();

  /** These headers' sender, as entries have it. */
  async function callerOf(headers: Record<string, string>): Promise<Pick<AuditEntry['actor'], 'kind' | 'id'>> {
    const { tokenId, chatUserId } = (await http.send('GET', '/api/auth/me', { headers })).json;
    return tokenId === undefined ? { kind: 'user', id: chatUserId } : { kind: 'bot_token', id: tokenId };
  }

  async function expectEntry(route: Route): Promise<void> {
    const call = (await preparations[route.name]?.(guild)) ?? {};
    const { body = validBody(route, guild).body, ids = {}, headers = await admitted(route, guild) } = call;
    const caller = await callerOf(headers);
    serial += 1;
    const requestId = `every-change-${serial}`;
    const { status, text } = await http.send(route.method, pathTo(route, guild, ids), {
      ...(body !== undefined && { body }),
      headers: { ...headers, 'x-request-id': requestId },
    });
    if (status >= 300) throw new Error(`answered ${status}, so say in "preparations" what makes it succeed: ${text}`);
    const entries = await AuditLog.acrossGuilds.find({ requestId }).lean<AuditEntry[]>();
    const mine = entries.filter(({ actor }) => actor.kind === caller.kind && actor.id === caller.id);
    const others = entries.map(({ action, actor }) => `${action} by ${actor.kind} ${actor.id}`).join(', ');
    if (mine.length === 0) {
      throw new Error(
        `left no audit entry of ${caller.kind} ${caller.id} with its request id (but: ${others || 'none'}). ` +
          'Let its feature put an entry into the write, or name it in "exceptions" and say why.',
      );
    }
    for (const { actor, action, target } of mine) {
      expect(actor.name, `the name of who did ${action}`).not.to.equal('');
      expect(target.id, `the target of ${action}`).not.to.equal('');
    }
  }

  // LOG-5
  it('Every route that changes something leaves an entry of its actor and request', async () => {
    // Removals last, so that there is something to change until then.
    const ordered = [...allRoutes()].sort((a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'));
    await everyRoute((route) => changesSomething(route) && !(route.name in exceptions), expectEntry, {
      routes: ordered,
      atOnce: 1,
    });
  });

  it('Every changed field of an entry has a name on the page of the log', async () => {
    const entries = await AuditLog.acrossGuilds.find().lean<AuditEntry[]>();
    const fields = new Set(entries.flatMap(({ changes = {} }) => Object.keys(changes)));
    expect(fields.size).to.be.greaterThan(20);
    const unnamed = [...fields].filter(
      (field) => !(`log_field.${field}` in pageTexts || `setting.${field}` in pageTexts),
    );
    expect(unnamed).to.deep.equal([]);
  });

  it('Every action of the log is recorded by the walk, or named by another test', async () => {
    const walked = new Set<string>(await AuditLog.acrossGuilds.distinct('action'));
    const tests = readSources('test').map(({ text }) => text);
    const isNamed = (action: string) => tests.some((text) => new RegExp(`\\b${action}\\b`).test(text));
    const actions = Object.keys(auditActions);
    expect(actions.filter((action) => !walked.has(action) && !isNamed(action))).to.deep.equal([]);
  });

  it('The exceptions from leaving an entry name only routes that exist', () => {
    const names = allRoutes()
      .filter((route) => changesSomething(route) || isPage(route))
      .map(({ name }) => name);
    expect(names).to.include.members([...Object.keys(exceptions), ...Object.keys(preparations)]);
  });

  it('The walk through the routes finds one that leaves no entry', async () => {
    const silent = allRoutes().filter(({ name }) => name === 'POST /api/guilds/:guildId/sync/preview');
    const verdict = await everyRoute(changesSomething, expectEntry, { routes: silent }).then(
      () => 'held',
      (error) => error.actual,
    );
    expect(verdict)
      .to.contain('POST /api/guilds/:guildId/sync/preview')
      .and.contain('left no audit entry of bot_token');
  });
});
