import type { Condition } from '../../src/features/mappings/condition.js';
import { answer } from '../features/webhooks/receiver.js';
import { guildSteps } from '../model/guild-steps.js';
import { gamesOf } from '../model/held-accounts.js';
import { dropAccount, forget, peopleSteps, takeAccount } from '../model/people-steps.js';
import { askOwner, type Person, type StageGuild } from '../model/stage.js';
import type { Choice } from '../model/step.js';
import type { CrashStage } from './crash-house.js';

/** One thing that the service is killed in. */
export interface CrashFlow {
  name: string;
  prepare?(stage: CrashStage): Promise<unknown>;
  /** Does it. Gives whether the service has said that it is done. */
  act(stage: CrashStage): Promise<boolean>;
  /** Whether it is done, once all is quiet. */
  isDone(stage: CrashStage): Promise<boolean>;
  /** Notes it for the oracle, where the answer was lost. */
  note?(stage: CrashStage): void;
  /** Texts whose traces in the database are searched. */
  traces?(stage: CrashStage): string[];
}

/** Ann, Ben and Cleo are in Red. */
interface Cast {
  red: StageGuild;
  ann: Person;
  ben: Person;
  cleo: Person;
}

export function castOf({ confirmed, people }: CrashStage): Cast {
  const [red] = confirmed.guilds;
  const [ann, ben, cleo] = people;
  if (!red || !ann || !ben || !cleo) throw new Error('The stage is empty.');
  return { red, ann, ben, cleo };
}

/** `value` 0: their own account, in the guild; 4: the next person's. */
export function choiceOf(stage: CrashStage, person: Person, value = 0): Choice {
  const { red } = castOf(stage);
  return { guild: red, person, value, roleId: red.roleIds[0] ?? '', groupId: stage.groupIds[0] ?? '' };
}

export const link = (stage: CrashStage, person: Person): Promise<unknown> =>
  peopleSteps.link.act(stage, choiceOf(stage, person));

/** The person's account as the service returns it; null: none. */
async function accountOf({ service }: CrashStage, person: Person): Promise<string | null> {
  const { status, body } = await service.ask(person, 'GET', '/api/auth/me');
  if (status !== 200) throw new Error(`Who somebody is was answered ${status}.`);
  return body.account?.gameUserId ?? null;
}

/** A single flow's values, from its preparation to its end. */
const [tokens, firstEvents] = [
  new WeakMap<CrashStage, { tokenId: string; text: string }>(),
  new WeakMap<CrashStage, number>(),
];

const proof = (name: string, taker: 'ann', owner: 'ann' | 'ben'): CrashFlow => ({
  name,
  prepare: async (stage) => (owner === taker ? undefined : link(stage, castOf(stage)[owner])),
  async act(stage) {
    const cast = castOf(stage);
    await peopleSteps.link.act(stage, choiceOf(stage, cast[taker], owner === taker ? 0 : 4));
    return gamesOf(stage.confirmed, cast[taker].id)[0] === cast[owner].gameUserId;
  },
  async isDone(stage) {
    const cast = castOf(stage);
    return (await accountOf(stage, cast[taker])) === cast[owner].gameUserId;
  },
  note(stage) {
    const cast = castOf(stage);
    takeAccount(stage, cast[taker], { game: cast[owner].gameUserId, guild: cast.red, use: 'replace' });
  },
});

const unlink: CrashFlow = {
  name: 'unlink',
  prepare: (stage) => link(stage, castOf(stage).ann),
  async act(stage) {
    const { ann } = castOf(stage);
    await peopleSteps.unlink.act(stage, choiceOf(stage, ann));
    return !stage.confirmed.accounts.has(ann.id);
  },
  isDone: async (stage) => (await accountOf(stage, castOf(stage).ann)) === null,
  note: (stage) => dropAccount(stage, castOf(stage).ann.id),
};

const memberSync: CrashFlow = {
  name: 'member sync',
  prepare: (stage) => link(stage, castOf(stage).ann),
  async act(stage) {
    const { red, ann } = castOf(stage);
    peopleSteps.demote.act(stage, choiceOf(stage, ann));
    return (await askOwner(stage, red, 'POST', `/members/${ann.id}/resync`, {})).status === 200;
  },
  // The oracle says more.
  async isDone(stage) {
    const { red, ann } = castOf(stage);
    return !stage.discord.member(red.guildId, ann.id)?.roleIds.includes(red.roleIds[1] ?? '');
  },
};

const resync: CrashFlow = {
  name: 'resync',
  async prepare(stage) {
    const { ann, ben, cleo } = castOf(stage);
    for (const person of [ann, ben, cleo]) await link(stage, person);
  },
  async act(stage) {
    const { red, ann, ben, cleo } = castOf(stage);
    peopleSteps.demote.act(stage, choiceOf(stage, ann));
    stage.roblox.setRank(stage.groupIds[0] ?? '', ben.gameUserId, 100);
    peopleSteps.promote.act(stage, choiceOf(stage, cleo));
    return (await askOwner(stage, red, 'POST', '/resync', {})).status === 202;
  },
  async isDone(stage) {
    const { red } = castOf(stage);
    const wanted = { guildId: red.guildId, 'actor.id': red.owner.id, state: 'completed' };
    return (await stage.service.db.collection('plans').countDocuments(wanted)) > 0;
  },
};

/** The receiver fails at first, so that there are two attempts. */
const delivery: CrashFlow = {
  name: 'webhook delivery',
  prepare: (stage) => link(stage, castOf(stage).ann),
  async act(stage) {
    const { red, ann } = castOf(stage);
    const { receiver, service } = stage;
    receiver.behave(async (response) => {
      receiver.behave(answer(204));
      await answer(503)(response, { path: '', headers: {}, body: Buffer.alloc(0), at: 0 });
    });
    await guildSteps.adminUnlink.act(stage, choiceOf(stage, ann));
    const failed = { state: 'retrying', 'attempts.0': { $exists: true } };
    while (service.isRunning && (await service.db.collection('deliveries').countDocuments(failed)) === 0);
    await service.pass(60);
    await service.runStanding();
    return red.blocked.has(ann.id);
  },
  async isDone(stage) {
    const { red, ann } = castOf(stage);
    const member = await stage.service.db.collection('members').findOne({ guildId: red.guildId, chatUserId: ann.id });
    return member?.state !== 'linked';
  },
  note(stage) {
    const { red, ann } = castOf(stage);
    red.blocked.add(ann.id);
    red.provenHere.delete(ann.id);
    red.consents.delete(ann.id);
  },
};

const stripeEvents: CrashFlow = {
  name: 'Stripe event',
  async prepare(stage) {
    const { red } = castOf(stage);
    const { status, body } = await askOwner(stage, red, 'POST', '/billing/checkout', { plan: 'enterprise' });
    if (status !== 201) throw new Error(`The checkout can't be begun: ${status} ${JSON.stringify(body)}`);
    firstEvents.set(stage, stage.stripe.events.all.length);
    stage.stripe.pay(body.url ?? '');
  },
  /** As Stripe does: again until it is taken. */
  async act(stage) {
    const { events } = stage.stripe;
    for (const event of events.all.slice(firstEvents.get(stage))) {
      if (event.answers.at(-1) !== 200 && (await events.deliver(event)) !== 200) return false;
    }
    return true;
  },
  async isDone(stage) {
    const { red } = castOf(stage);
    const guild = await stage.service.db
      .collection<{ _id: string; plan?: string }>('guilds')
      .findOne({ _id: red.guildId });
    const sent = stage.stripe.events.all.slice(firstEvents.get(stage));
    return guild?.plan === 'enterprise' && sent.every(({ answers }) => answers.at(-1) === 200);
  },
};

const erasure: CrashFlow = {
  name: 'erasure',
  prepare: (stage) => link(stage, castOf(stage).ann),
  async act(stage) {
    const { ann } = castOf(stage);
    await peopleSteps.erase.act(stage, choiceOf(stage, ann));
    return !stage.confirmed.accounts.has(ann.id);
  },
  async isDone(stage) {
    const { ann } = castOf(stage);
    return (await stage.service.db.collection<{ _id: string }>('accounts').findOne({ _id: ann.id })) === null;
  },
  note: (stage) => forget(stage, castOf(stage).ann.id),
  traces: (stage) => [castOf(stage).ann.id, castOf(stage).ann.gameUserId],
};

const mappingChange: CrashFlow = {
  name: 'mapping change',
  async prepare(stage) {
    const { ann, ben } = castOf(stage);
    for (const person of [ann, ben]) await link(stage, person);
  },
  async act(stage) {
    const { mapping, mappingId, wanted } = changeOf(stage);
    const { status } = await askOwner(stage, castOf(stage).red, 'PUT', `/mappings/${mappingId}`, wanted);
    if (status === 200) Object.assign(mapping, wanted);
    return status === 200;
  },
  async isDone(stage) {
    const { mappingId } = changeOf(stage);
    const stored = await stage.service.db
      .collection<{ _id: string; condition: Condition }>('mappings')
      .findOne({ _id: mappingId });
    return stored?.condition.type === 'group_rank' && stored.condition.min === 255;
  },
  note(stage) {
    const { mapping, wanted } = changeOf(stage);
    Object.assign(mapping, wanted);
  },
};

/** No one has the requested rank then: a mapping reaches people with the next resync only. */
function changeOf(stage: CrashStage) {
  const { red } = castOf(stage);
  const mapping = red.mappings[1];
  if (mapping === undefined) throw new Error('The stage has no mapping.');
  const { mappingId, ...before } = mapping;
  const condition = { type: 'group_rank' as const, groupId: stage.groupIds[0] ?? '', min: 255, max: 255 };
  return { mapping, mappingId, wanted: { ...before, condition, roleIds: [red.roleIds[2] ?? ''] } };
}

const tokenRevocation: CrashFlow = {
  name: 'token revocation',
  async prepare(stage) {
    const wish = { name: 'bot', role: 'viewer' };
    const { status, body } = await askOwner(stage, castOf(stage).red, 'POST', '/tokens', wish);
    if (status !== 201) throw new Error(`The token can't be made: ${status}`);
    tokens.set(stage, { tokenId: body.tokenId ?? '', text: body.token ?? '' });
  },
  async act(stage) {
    const path = `/tokens/${tokens.get(stage)?.tokenId}`;
    return (await askOwner(stage, castOf(stage).red, 'DELETE', path)).status === 204;
  },
  async isDone(stage) {
    const { red } = castOf(stage);
    const headers = { authorization: `Bot ${tokens.get(stage)?.text}` };
    const answered = await fetch(`${stage.service.url}/api/guilds/${red.guildId}`, { headers });
    await answered.body?.cancel();
    if (answered.status !== 200 && answered.status !== 401) throw new Error(`A token was answered ${answered.status}.`);
    return answered.status === 401;
  },
};

export const crashFlows: readonly CrashFlow[] = [
  proof('link', 'ann', 'ann'),
  proof('transfer', 'ann', 'ben'),
  unlink,
  memberSync,
  resync,
  delivery,
  stripeEvents,
  erasure,
  mappingChange,
  tokenRevocation,
];
