import type { AccountUse } from '../../src/features/accounts/account-use.js';
import { gamesOf, noteEnd, noteProof, noteUse, usedIn } from './held-accounts.js';
import type { Person, Stage } from './stage.js';
import type { Choice, StepKind } from './step.js';

// What people do on both platforms, and with their account.

export const peopleSteps = {
  join: {
    weight: 5,
    tell: ({ person, guild }) => `${person} joins ${guild}`,
    act({ discord }, { guild, person }) {
      if (!discord.member(guild.guildId, person.id)) discord.join(guild.guildId, person.id);
    },
  },
  leave: {
    weight: 3,
    tell: ({ person, guild }) => `${person} leaves ${guild}`,
    act({ discord }, { guild, person }) {
      if (discord.member(guild.guildId, person.id)) discord.leave(guild.guildId, person.id);
    },
  },
  promote: {
    weight: 4,
    tell: ({ person, group }) => `${person} becomes officer of ${group}`,
    act: (stage, choice) => setRank(stage, choice, 100),
  },
  demote: {
    weight: 3,
    tell: ({ person, group }) => `${person} becomes plain member of ${group}`,
    act: (stage, choice) => setRank(stage, choice, 1),
  },
  leaveGroup: {
    weight: 3,
    tell: ({ person, group }) => `${person} leaves ${group}`,
    act({ roblox }, { person, groupId }) {
      if (roblox.ranksOf(groupId, person.gameUserId) !== null) roblox.leaveGroup(groupId, person.gameUserId);
    },
  },
  rename: {
    weight: 2,
    tell: ({ person, value }) => `${person} is renamed on Roblox (${value})`,
    act({ roblox }, { person, value }) {
      roblox.renameUser(person.gameUserId, `New${value}_${person.gameUserId}`);
    },
  },
  ban: {
    weight: 4,
    tell: ({ person, value }) => `${person} is ${value % 2 ? 'banned' : 'not banned'} on Roblox`,
    act: ({ roblox }, { person, value }) => roblox.setBanned(person.gameUserId, value % 2 === 1),
  },
  link: {
    weight: 9,
    tell: ({ person, guild, value }) =>
      `${person} proves ${isForeign(value) ? 'the account of the next person' : 'their account'} ${onTheWeb(value) ? 'on the web' : `in ${guild}`}`,
    act: prove,
  },
  unlink: {
    weight: 2,
    tell: ({ person }) => `${person} removes their account`,
    async act(stage, { person }) {
      const { status } = await stage.service.ask(person, 'DELETE', '/api/verification/unlink');
      if (status === 204) dropAccount(stage, person.id);
      else if (isLost(status)) stage.confirmed.uncertain.add(person.id);
    },
  },
  unlinkOne: {
    weight: 2,
    tell: ({ person, value }) => `${person} removes their account number ${value % 3}`,
    act: removeOne,
  },
  use: {
    weight: 4,
    tell: ({ person, guild, value }) =>
      `${person} ${value % 2 ? 'makes their main account' : `uses in ${guild}`} their account number ${value % 3}`,
    act: useOne,
  },
  answer: {
    weight: 4,
    tell: ({ person, guild, value }) => `${person} ${value % 3 ? 'shows' : 'hides'} their account in ${guild}`,
    act: answer,
  },
  erase: {
    weight: 1,
    tell: ({ person }) => `${person} has all about them erased`,
    async act(stage, { person }) {
      const { status } = await stage.service.ask(person, 'DELETE', '/api/auth/me');
      stage.service.forgetSession(person.id);
      if (status === 202) forget(stage, person.id);
      else if (isLost(status)) stage.confirmed.uncertain.add(person.id);
    },
  },
} satisfies Record<string, StepKind>;

const onTheWeb = (value: number): boolean => value % 4 === 3;
const isForeign = (value: number): boolean => value % 5 === 4;
/** It is unknown whether it was done. */
const isLost = (status: number): boolean => status >= 500;

function setRank({ roblox }: Stage, { person, groupId }: Choice, rank: number): void {
  if (roblox.ranksOf(groupId, person.gameUserId) !== null) roblox.setRank(groupId, person.gameUserId, rank);
}

/** A person's proof of their own account, here. */
export const proveOwn = (stage: Stage, choice: Choice): Promise<void> => prove(stage, { ...choice, value: 0 });

/** The proof by words in the profile, over the API. */
async function prove(stage: Stage, { guild, person, value }: Choice): Promise<void> {
  const { service, roblox, people, confirmed } = stage;
  const owner = isForeign(value) ? (people[(people.indexOf(person) + 1) % people.length] ?? person) : person;
  const where = onTheWeb(value) ? {} : { guildId: guild.guildId };
  const begun = await service.ask(person, 'POST', '/api/verification/session', { ...where, method: 'profile_code' });
  if (begun.status !== 201) return;
  roblox.setAbout(owner.gameUserId, begun.body.phrase ?? '');
  const { username: gameUsername } = roblox.user(owner.gameUserId);
  const use = uses[value % 7] ?? 'replace';
  const proof = { token: begun.body.token, gameUsername, use };
  const { status } = await service.ask(person, 'POST', '/api/verification/complete', proof);
  if (status === 200)
    takeAccount(stage, person, { game: owner.gameUserId, guild: onTheWeb(value) ? null : guild, use });
  else if (isLost(status)) for (const { id } of [...people, person]) confirmed.uncertain.add(id);
}

/** ID-4, ID-20: a game account belongs to one person, and a proof in a guild lifts an admin's unlink there. */
export function takeAccount(
  { confirmed }: Stage,
  { id }: Person,
  { game, guild, use }: { game: string; guild: Choice['guild'] | null; use: AccountUse },
): void {
  for (const other of confirmed.accounts.keys())
    if (other !== id && gamesOf(confirmed, other).includes(game)) loseProof(confirmed, other, game);
  for (const each of confirmed.guilds) {
    for (const [other, word] of each.words) if (word.gameUserId === game && other !== id) each.doubtful.add(other);
  }
  if (!confirmed.everLinked.has(id)) for (const each of confirmed.guilds) if (each !== guild) keepUnseen(each, id);
  const used = confirmed.guilds.map((each) => usedIn(confirmed, each, id));
  noteProof(confirmed, id, { game, guild, use });
  for (const [n, each] of confirmed.guilds.entries())
    if (used[n] !== usedIn(confirmed, each, id)) each.provenHere.delete(id);
  confirmed.everLinked.add(id);
  guild?.provenHere.add(id);
  guild?.blocked.delete(id);
  guild?.consents.set(id, 'given');
  guild?.unseen.delete(id);
  guild?.doubtful.delete(id);
}

/** A person's proof is gone, and nobody knows whether the words that it covered are there. */
function loseProof(confirmed: Stage['confirmed'], id: string, game?: string): void {
  noteEnd(confirmed, id, game);
  for (const { words, doubtful } of confirmed.guilds) if (words.has(id)) doubtful.add(id);
}

/** ID-94: another account the person has proved, over the API. */
async function useOne(stage: Stage, { guild, person, value }: Choice): Promise<void> {
  const { confirmed, service } = stage;
  const game = gamesOf(confirmed, person.id)[value % 3];
  if (game === undefined) return;
  const main = value % 2 === 1;
  const wish = main ? { main } : { guildIds: [guild.guildId] };
  const { status } = await service.ask(person, 'PUT', `/api/auth/me/accounts/${game}`, wish);
  if (isLost(status)) {
    confirmed.uncertain.add(person.id);
    if (!main) guild.consents.set(person.id, 'any');
  }
  if (status === 200) takeUse(stage, person.id, { game, main, guild });
}

/** Notes a use that was taken: as the main account, or in one guild, which is consent there. */
export function takeUse(
  { confirmed }: Pick<Stage, 'confirmed'>,
  id: string,
  { game, main, guild }: { game: string; main: boolean; guild: Choice['guild'] },
): void {
  noteUse(confirmed, id, { game, main, guilds: main ? [] : [guild] });
  if (main) return;
  guild.consents.set(id, 'given');
  guild.unseen.delete(id);
}

/** ID-96: an account the person has, over the API. */
async function removeOne(stage: Stage, { person, value }: Choice): Promise<void> {
  const { confirmed, service } = stage;
  const game = gamesOf(confirmed, person.id)[value % 3];
  if (game === undefined) return;
  const { status } = await service.ask(person, 'DELETE', `/api/auth/me/accounts/${game}`);
  if (isLost(status)) confirmed.uncertain.add(person.id);
  if (status === 204) endOne(stage, person.id, game);
}

/** Notes that one account ended, unless that is noted. */
export function endOne(stage: Stage, id: string, game: string): void {
  const { confirmed } = stage;
  const games = gamesOf(confirmed, id);
  if (!games.includes(game)) return;
  if (games.length === 1) {
    dropAccount(stage, id);
    return;
  }
  const ended = confirmed.guilds.filter((each) => usedIn(confirmed, each, id) === game);
  loseProof(confirmed, id, game);
  for (const guild of ended) if (usedIn(confirmed, guild, id) === undefined) endConsent(guild, id);
}

const uses: Readonly<Record<number, AccountUse>> = { 1: 'here', 3: 'here', 5: 'main' };

/** ID-22: an account that was never seen here stays so where people are asked. */
function keepUnseen({ settings, consents, unseen }: Choice['guild'], id: string): void {
  if (settings.reveal === 'ask' && !consents.has(id)) unseen.add(id);
}

/** ID-31: a person's answer to one guild, over the API. */
async function answer(stage: Stage, { guild, person, value }: Choice): Promise<void> {
  const shown = value % 3 > 0;
  const path = `/api/auth/me/consents/${guild.guildId}`;
  const { status } = await stage.service.ask(person, 'PUT', path, { shown });
  if (isLost(status)) {
    stage.confirmed.uncertain.add(person.id);
    guild.consents.set(person.id, 'any');
  }
  if (status !== 200) return;
  guild.consents.set(person.id, shown ? 'given' : 'refused');
  guild.unseen.delete(person.id);
  if (!shown) guild.provenHere.delete(person.id);
}

export function dropAccount({ confirmed }: Stage, id: string): void {
  loseProof(confirmed, id);
  for (const guild of confirmed.guilds) endConsent(guild, id);
}

/** ID-29: an agreement ends with the link. */
function endConsent({ provenHere, consents }: Choice['guild'], id: string): void {
  provenHere.delete(id);
  if (consents.get(id) === 'given') consents.set(id, 'open');
}

/** A person's answers are erased with them, but not immediately. */
export function forget(stage: Stage, id: string): void {
  dropAccount(stage, id);
  for (const { consents } of stage.confirmed.guilds) if (consents.has(id)) consents.set(id, 'any');
}
