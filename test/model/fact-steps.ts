import { gamesOf, isHeldByDenial, usedIn } from './held-accounts.js';
import type { Answer } from './model-service.js';
import { isBelow, linkIn } from './oracle.js';
import { proveOwn } from './people-steps.js';
import type { Person, Stage, StageGuild } from './stage.js';
import type { Choice, StepKind } from './step.js';
import { type FactState, type GameReport, noteDoubt, noteNone, noteReport } from './told-facts.js';

// Reports by a server's game about its players, with the word of the owner or of the chief.

export const factSteps = {
  report: {
    weight: 12,
    tell: ({ person, guild, value }) =>
      `the game of ${guild} reports ${JSON.stringify(factsOf(value))} of ${person} or the next ${isByOwner(value) ? 'as the owner' : 'as the chief'}${isPatient(value) ? '' : ', without waiting'}`,
    async act(stage, choice) {
      const { guild, value } = choice;
      const by = isByOwner(value) ? guild.owner : guild.chief;
      const gameUserId = await accountOf(stage, choice);
      const reported = reportFacts(stage, guild, { by, gameUserId, facts: factsOf(value) }, isPatient(value));
      if (isPatient(value)) await reported;
      else stage.unawaited.push(reported);
    },
  },
} satisfies Record<string, StepKind>;

const isByOwner = (value: number): boolean => value % 3 > 0;
/** Otherwise kills, changes by hand and other reports come in between. */
const isPatient = (value: number): boolean => value % 5 > 0;

type Facts = GameReport['facts'];

function factsOf(value: number): Facts {
  const kinds: Facts[] = [
    // The least that the stage's mapping asks for, also of people with more and with less.
    ...[{ level: 12 }, { level: 20 }, { level: 12 }, { level: 5 }, { level: null }],
    ...[{ clan: 'Red' }, { clan: 'Blue' }, { clan: null }, { level: 10, clan: 'Red' }, { level: '12' }],
  ];
  return kinds[Math.floor(value / 3) % kinds.length] ?? {};
}

/** The account of a linked member here, linked by this step if nobody is; now and then the person's own. */
async function accountOf(stage: Stage, choice: Choice): Promise<string> {
  const { confirmed, people, discord } = stage;
  const { guild, person, value } = choice;
  if (value % 16 === 15) return person.gameUserId;
  const at = people.indexOf(person);
  const members = [...people.slice(at), ...people.slice(0, at)].filter(({ id }) => discord.member(guild.guildId, id));
  const known = members.flatMap(({ id }) => accountIn(confirmed, guild, id) ?? []);
  if (known[0] !== undefined) return known[0];
  await proveOwn(stage, { ...choice, person: members[0] ?? person });
  followFacts(stage);
  return (members[0] ?? person).gameUserId;
}

const accountIn = (confirmed: Stage['confirmed'], guild: StageGuild, id: string): string | undefined =>
  usedIn(confirmed, guild, id) ?? guild.words.get(id)?.gameUserId;

interface Reporting {
  by: Person;
  gameUserId: string;
  facts: Facts;
}

/** Reports facts of an account, and notes them as stored or not until the answer says so. */
export async function reportFacts(
  stage: Stage,
  guild: StageGuild,
  reporting: Reporting,
  waits = true,
): Promise<Answer> {
  const { service } = stage;
  if (!service.answers) return { status: 0, body: {} };
  const { by, gameUserId, facts } = reporting;
  const { reports } = guild;
  const told = ceilingsOf(stage, guild, by).map((ceilingRoleId): GameReport => ({ gameUserId, facts, ceilingRoleId }));
  // The last of simultaneous reports is unknown, and so are the links at the time of a late answer.
  const isAlone = waits && reports.open.size === 0;
  const before = new Map(reports.possible);
  for (const report of told) reports.open.add(report);
  for (const { id } of everybodyIn(stage)) noteReport(reports, id, told, false);
  const people = [{ gameUserId, facts }];
  const answer = await service.ask(by, 'PUT', `/api/guilds/${guild.guildId}/facts`, { people });
  for (const report of told) reports.open.delete(report);
  if (isAlone) noteAnswer(stage, guild, { told, before, answer });
  return answer;
}

/** The author's highest role; null: above all. The service may see it a moment late. */
function ceilingsOf({ discord }: Stage, { guildId, chief, chiefRoleId, owner }: StageGuild, by: Person) {
  if (by === owner || by !== chief) return [null];
  const held = discord.member(guildId, chief.id)?.roleIds ?? [];
  const roles = discord.roles(guildId).filter(({ id }) => held.includes(id));
  const [highest] = roles.toSorted((a, b) => (isBelow(a, b) ? 1 : -1));
  return [...new Set([chiefRoleId, highest?.id ?? chiefRoleId])];
}

interface Answered {
  told: readonly GameReport[];
  before: Map<string, FactState[]>;
  answer: Answer;
}

/** Without a clear answer, all stays possible. */
function noteAnswer(stage: Stage, guild: StageGuild, { told, before, answer }: Answered): void {
  const { reports } = guild;
  const { confirmed } = stage;
  const [{ gameUserId } = { gameUserId: '' }] = told;
  const { status, body } = answer;
  const said = status === 200 ? body.data?.[0]?.status : undefined;
  const isRefused = status >= 400 && status < 500 && status !== 409;
  if (isRefused || said === 'not_linked') reports.possible = before;
  // FACT-7: facts end with the link.
  if (said === 'not_linked') noteNone(reports, gameUserId);
  if (said !== 'stored' || confirmed.uncertain.size > 0 || guild.doubtful.size > 0) return;
  const [holder, ...others] = reports.everHeldBy.get(gameUserId) ?? [];
  // FACT-4
  if (holder === undefined) stage.problems.push(`facts were stored of ${gameUserId}, an account of nobody`);
  if (holder === undefined || others.length > 0) return;
  reports.possible = before;
  noteReport(reports, holder, told, true);
}

const everybodyIn = ({ people, confirmed }: Stage): Person[] => [
  ...people,
  ...confirmed.guilds.map(({ owner }) => owner),
];

/** Notes the links under all facts, after each step. */
export function followFacts(stage: Stage): void {
  const { confirmed } = stage;
  for (const guild of confirmed.guilds) {
    const { everHeldBy, restingOn, possible } = guild.reports;
    for (const { id } of everybodyIn(stage)) {
      const word = guild.words.get(id)?.gameUserId;
      for (const game of [...gamesOf(confirmed, id), ...(word === undefined ? [] : [word])])
        everHeldBy.set(game, (everHeldBy.get(game) ?? new Set()).add(id));
      const link = surelyLinkedBy(confirmed, guild, id);
      if (possible.has(id) && (link === undefined || link !== restingOn.get(id))) noteDoubt(guild.reports, id);
      restingOn.set(id, link);
    }
  }
}

/** A person's certain link here. */
function surelyLinkedBy(confirmed: Stage['confirmed'], guild: StageGuild, id: string): string | undefined {
  const isOpen = confirmed.uncertain.has(id) || guild.doubtful.has(id) || isHeldByDenial(confirmed, guild, id);
  const games = linkIn(guild, id, accountIn(confirmed, guild, id));
  const [game] = games;
  if (isOpen || games.length > 1 || game === undefined) return undefined;
  return usedIn(confirmed, guild, id) === undefined ? `${game} by ${guild.words.get(id)?.importId}` : game;
}
