import { placesOf } from '../../src/features/accounts/account-model.js';
import { gamesOf } from '../model/held-accounts.js';
import { endOne, peopleSteps, takeAccount, takeUse } from '../model/people-steps.js';
import { signRobloxWebhook } from '../sandbox/roblox/webhook-signature.js';
import { type CrashFlow, castOf, choiceOf, link } from './crash-flows.js';
import type { CrashStage } from './crash-house.js';

// Ann proves Ben's game account beside her own, which Ben has not proved. The values name the steps' variants.

const [here, replace] = [29, 4];
const addHere = (stage: CrashStage) => proveOther(stage, here);
const proveOther = (stage: CrashStage, value: number) =>
  peopleSteps.link.act(stage, choiceOf(stage, castOf(stage).ann, value));

async function addElsewhere(stage: CrashStage): Promise<void> {
  await link(stage, castOf(stage).ann);
  const { red, ...cast } = castOf(stage);
  const [, blue = red] = stage.confirmed.guilds;
  stage.discord.join(blue.guildId, cast.ann.id);
  await peopleSteps.link.act(stage, { ...choiceOf(stage, cast.ann, here), guild: blue });
}

/** Whether Ann has proved Ben's account, and which account Red uses of her. */
async function stateOf(stage: CrashStage): Promise<{ own: boolean; other: boolean; inUse: string | undefined }> {
  const { red, ann, ben } = castOf(stage);
  const { db } = stage.service;
  const accounts = db.collection<{ _id: string; gameUserId?: string }>('accounts');
  const found = await accounts.find({ _id: { $in: placesOf(ann.id) } }).toArray();
  const has = (game: string) => found.some(({ gameUserId }) => gameUserId === game);
  const where = { guildId: red.guildId, chatUserId: ann.id };
  const member = await db.collection<{ gameUserId?: string }>('members').findOne(where);
  return { own: has(ann.gameUserId), other: has(ben.gameUserId), inUse: member?.gameUserId };
}

const isUsed = async (stage: CrashStage) => (await stateOf(stage)).inUse === castOf(stage).ben.gameUserId;
const holds = (stage: CrashStage) => gamesOf(stage.confirmed, castOf(stage).ann.id);

export const accountFlows: readonly CrashFlow[] = [
  {
    name: 'account added',
    prepare: (stage) => link(stage, castOf(stage).ann),
    async act(stage) {
      await addHere(stage);
      return holds(stage).length === 2;
    },
    isDone: async (stage) => (await stateOf(stage)).other,
    note(stage) {
      const { ann, ben, red } = castOf(stage);
      takeAccount(stage, ann, { game: ben.gameUserId, guild: red, use: 'here' });
    },
  },
  {
    name: 'account replaced',
    prepare: (stage) => link(stage, castOf(stage).ann),
    async act(stage) {
      await proveOther(stage, replace);
      return holds(stage)[0] === castOf(stage).ben.gameUserId;
    },
    async isDone(stage) {
      const { own, other } = await stateOf(stage);
      if (own === other) throw new Error('A replacement was done by half.');
      return other;
    },
    note(stage) {
      const { ann, ben, red } = castOf(stage);
      takeAccount(stage, ann, { game: ben.gameUserId, guild: red, use: 'replace' });
    },
  },
  use('account chosen', 4),
  use('main account changed', 1),
  {
    name: 'account removed',
    prepare: addElsewhere,
    async act(stage) {
      await peopleSteps.unlinkOne.act(stage, choiceOf(stage, castOf(stage).ann, 0));
      return holds(stage).length === 1;
    },
    isDone: async (stage) => !(await stateOf(stage)).own,
    note: (stage) => endOne(stage, castOf(stage).ann.id, castOf(stage).ann.gameUserId),
  },
  {
    name: 'account erased',
    prepare: addElsewhere,
    async act(stage) {
      const { ann } = castOf(stage);
      const isDone = await requestErasure(stage, ann.gameUserId);
      if (isDone) endOne(stage, ann.id, ann.gameUserId);
      return isDone;
    },
    async isDone(stage) {
      const { own, other } = await stateOf(stage);
      if (!other) throw new Error('The other account was erased, too.');
      return !own;
    },
    note: (stage) => endOne(stage, castOf(stage).ann.id, castOf(stage).ann.gameUserId),
    traces: (stage) => [castOf(stage).ann.gameUserId, stage.roblox.user(castOf(stage).ann.gameUserId).username],
  },
];

/** Roblox's request to erase an account, signed and sent. */
async function requestErasure({ service, roblox }: CrashStage, gameUserId: string): Promise<boolean> {
  const { epochMs } = service.now;
  const EventTime = new Date(epochMs).toISOString();
  const EventPayload = { UserId: Number(gameUserId), GameIds: [] };
  const body = JSON.stringify({
    NotificationId: 'n',
    EventType: 'RightToErasureRequest',
    EventTime,
    EventPayload,
  });
  const headers = { 'roblox-signature': signRobloxWebhook(body, roblox.webhookSecret, epochMs) };
  const sent = fetch(`${service.url}/api/privacy/roblox-webhook`, { method: 'POST', body, headers });
  return sent.then(({ status }) => status === 200).catch(() => false);
}

/** Red, which uses the main account, uses the other one: by a choice (an even value), or as the new main account. */
function use(name: string, value: number): CrashFlow {
  const main = value % 2 === 1;
  return {
    name,
    prepare: addElsewhere,
    async act(stage) {
      const { ann, ben, red } = castOf(stage);
      await peopleSteps.use.act(stage, choiceOf(stage, ann, value));
      return main ? holds(stage)[0] === ben.gameUserId : red.chosen.get(ann.id) === ben.gameUserId;
    },
    isDone: isUsed,
    note(stage) {
      const { ann, ben, red: guild } = castOf(stage);
      takeUse(stage, ann.id, { game: ben.gameUserId, main, guild });
    },
  };
}
