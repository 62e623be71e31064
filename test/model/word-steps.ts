import { eventually } from '../support/build.js';
import type { ConfirmedWord } from './confirmed.js';
import { gamesOf } from './held-accounts.js';
import { askOwner, hasBot, type Person, type Stage, type StageGuild } from './stage.js';
import type { Choice, StepKind } from './step.js';

// A server's own word about people's accounts, and what waits for its admins.

export const wordSteps = {
  importPerson: {
    weight: 5,
    tell: ({ person, guild, value }) =>
      `${isByOwner(value) ? 'the owner' : 'the chief'} of ${guild} imports ${person} with ${isOther(value) ? 'the account of the next person' : 'their account'}`,
    act: importPerson,
  },
  undoImport: {
    weight: 2,
    tell: ({ guild, person }) => `${guild} undoes the import of ${person}`,
    act: undoImport,
  },
  confirmRemovals: {
    weight: 2,
    tell: ({ guild }) => `${guild} confirms the removals that wait`,
    act: (stage, { guild }) => confirmRemovals(stage, guild),
  },
} satisfies Record<string, StepKind>;

const isByOwner = (value: number): boolean => value % 2 === 0;
const isOther = (value: number): boolean => value % 5 === 4;
/** It is unknown whether it was done. */
const isLost = (status: number): boolean => status === 0 || status >= 500;
const endsWithinMs = 4_000;

async function importPerson(stage: Stage, { guild, person, value }: Choice): Promise<void> {
  const { service, people } = stage;
  const owner = isOther(value) ? (people[(people.indexOf(person) + 1) % people.length] ?? person) : person;
  const { gameUserId } = owner;
  const by = isByOwner(value) ? guild.owner : guild.chief;
  const path = `/api/guilds/${guild.guildId}/people/import`;
  const list = { people: [{ chatUserId: person.id, gameUserId }] };
  const shown = await service.ask(by, 'POST', path, list);
  if (shown.status !== 200) return;
  const expected = outcomeOf(stage, guild, person, gameUserId);
  const { reviewKey } = shown.body;
  const started = await service.ask(by, 'POST', path, { ...list, dryRun: false, reviewKey });
  if (isLost(started.status)) guild.doubtful.add(person.id);
  if (started.status !== 202) return;
  const { importId = '' } = started.body;
  const ended = await endOf(stage, importId);
  if (ended?.state !== 'completed') {
    guild.doubtful.add(person.id);
    return;
  }
  const got = Object.entries(ended.counts).find(([what, number]) => what !== 'done' && number > 0)?.[0] ?? 'nothing';
  if (expected !== 'open' && got !== expected)
    stage.problems.push(`the import of ${person.username} in ${guild.name} was ${got}, not ${expected}`);
  if (expected === 'open' && (got === 'imported' || got === 'known')) guild.doubtful.add(person.id);
  if (expected === 'open') return;
  const ceilingRoleId = isByOwner(value) ? null : guild.chiefRoleId;
  if (got === 'imported') noteImported(stage, guild, person, { gameUserId, ceilingRoleId, importId });
  // PEOPLE-60: a known word is confirmed by an author above.
  const known = guild.words.get(person.id);
  if (got === 'known' && known !== undefined)
    guild.words.set(person.id, { ...known, isNamedAgain: true, ...(ceilingRoleId === null && { ceilingRoleId }) });
}

/** PEOPLE-21: judged by what the server sees; `open` where that is not known for sure. */
function outcomeOf({ discord, roblox, confirmed }: Stage, guild: StageGuild, { id }: Person, game: string): string {
  if (discord.member(guild.guildId, id) === undefined) return 'not_in_server';
  if (roblox.user(game).banned) return 'not_found';
  if (confirmed.uncertain.size > 0 || guild.doubtful.size > 0 || confirmed.accounts.has(id)) return 'open';
  if ([...confirmed.accounts.keys()].some((other) => gamesOf(confirmed, other).includes(game))) return 'open';
  // An earlier account may have gone a moment ago, and left an admin's unlink or a refusal.
  if (guild.blocked.has(id) || guild.consents.has(id)) return 'open';
  const others = [...guild.words].filter(([other]) => other !== id).map(([, { gameUserId }]) => gameUserId);
  const own = guild.words.get(id)?.gameUserId;
  if ((own ?? game) !== game || others.includes(game)) return 'contradicting';
  return own === undefined ? 'imported' : 'known';
}

function noteImported({ confirmed }: Stage, guild: StageGuild, { id }: Person, word: ConfirmedWord): void {
  guild.words.set(id, word);
  confirmed.everLinked.add(id);
  // PEOPLE-7
  if (guild.settings.reveal === 'ask' && !guild.consents.has(id)) guild.unseen.add(id);
}

interface StoredImport {
  _id: string;
  open?: true;
  state: string;
  counts: Record<string, number>;
}

/** The import, or its undo, once it has ended; undefined: not for a while, as without a platform. */
async function endOf({ service }: Stage, importId: string): Promise<StoredImport | undefined> {
  const imports = service.db.collection<StoredImport>('people_imports');
  const ended = async () => (await imports.findOne({ _id: importId, open: { $exists: false } })) ?? undefined;
  return eventually(ended, 'the end of the import', endsWithinMs).catch(() => undefined);
}

async function undoImport(stage: Stage, { guild, person }: Choice): Promise<void> {
  const { id } = person;
  const word = guild.words.get(id);
  if (word === undefined) return;
  const { confirmed, service } = stage;
  // PEOPLE-28: it leaves people who have acted since, or whom an admin has unlinked.
  const isPlain = !guild.doubtful.has(id) && !guild.blocked.has(id) && !guild.consents.has(id);
  const isSure = isPlain && !confirmed.accounts.has(id) && !confirmed.uncertain.has(id);
  const { importId } = word;
  const { status } = await askOwner(stage, guild, 'POST', `/people/import/${importId}/undo`, {});
  if (isLost(status)) guild.doubtful.add(id);
  if (status !== 202) return;
  const ended = await endOf(stage, importId);
  const row = await service.db.collection('people_import_rows').findOne({ importId, chatUserId: id });
  if (ended === undefined || !isSure || row?.undone === 'failed') {
    guild.doubtful.add(id);
    return;
  }
  const expected = word.isNamedAgain ? 'imported_again' : 'undone';
  if (row?.undone !== expected)
    stage.problems.push(`the undo of ${person.username}'s import in ${guild.name} was ${row?.undone}, not ${expected}`);
  if (word.isNamedAgain) return;
  guild.words.delete(id);
  guild.unseen.delete(id);
}

/** An admin confirms the resync that waits in a guild, if one does. */
export async function confirmRemovals(stage: Stage, guild: StageGuild): Promise<void> {
  if (!stage.service.answers || !hasBot(stage.discord, guild.guildId)) return;
  const waiting = { guildId: guild.guildId, open: true, awaitingConfirmation: { $exists: true } };
  const held = await stage.service.db.collection<{ _id: string }>('plans').findOne(waiting);
  if (held === null) return;
  guild.confirmations += 1;
  await askOwner(stage, guild, 'POST', '/resync', { confirm: held._id });
}
