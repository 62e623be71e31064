import type { AccountUse } from '../../src/features/accounts/account-use.js';
import type { Confirmed, ConfirmedGuild } from './confirmed.js';

/** A game account's proof. Times are numbers that rise with each request; `main` is 0 if it was never made main. */
export interface HeldAccount {
  game: string;
  main: number;
  at: number;
}

type Held = Pick<Confirmed, 'accounts'>;

/** ID-93: the main account comes first, and without a choice the oldest. */
const heldBy = ({ accounts }: Held, id: string): HeldAccount[] =>
  (accounts.get(id) ?? []).toSorted((a, b) => b.main - a.main || a.at - b.at);

export const gamesOf = (held: Held, id: string): string[] => heldBy(held, id).map(({ game }) => game);

/** The proved account that a guild uses (ID-94, ID-96); undefined: none. */
export function usedIn(held: Held, { chosen }: Pick<ConfirmedGuild, 'chosen'>, id: string): string | undefined {
  const games = gamesOf(held, id);
  const wished = chosen.get(id);
  return wished === undefined ? games[0] : games.find((game) => game === wished);
}

/** RESTR-20: an account they have is restricted here, so it depends on their past which one is in use. */
export function isHeldByDenial(held: Held, guild: Pick<ConfirmedGuild, 'chosen' | 'settings'>, id: string): boolean {
  const { deniedGameUserIds } = guild.settings.restrictions;
  const used = usedIn(held, guild, id);
  const denied = gamesOf(held, id).filter((game) => deniedGameUserIds.includes(game));
  return denied.length > 0 && (used === undefined || !denied.includes(used));
}

let requests = 0;
const now = () => {
  requests += 1;
  return requests;
};

/** Notes a proof that was taken, in a guild or on the web (null). */
export function noteProof(
  confirmed: Pick<Confirmed, 'accounts' | 'guilds'>,
  id: string,
  { game, guild, use }: { game: string; guild: ConfirmedGuild | null; use: AccountUse },
): void {
  const held = heldBy(confirmed, id);
  const [main] = held;
  const inUse = (guild ? usedIn(confirmed, guild, id) : undefined) ?? main?.game;
  const replaced = use === 'replace' && inUse !== game ? held.find((each) => each.game === inUse) : undefined;
  const before = held.find((each) => each.game === game);
  const isMain = use === 'main' || held.length === 0 || (replaced !== undefined && before && replaced === main);
  const inPlace = before?.main ?? replaced?.main ?? 0;
  const others = held.filter((each) => each.game !== game && each !== replaced);
  const at = now();
  confirmed.accounts.set(id, [...others, { game, main: isMain ? at : inPlace, at }]);
  for (const { chosen } of confirmed.guilds) if (replaced && chosen.get(id) === replaced.game) chosen.set(id, game);
  // The main account's proof follows it.
  if (guild && game === gamesOf(confirmed, id)[0]) guild.chosen.delete(id);
  else guild?.chosen.set(id, game);
}

/** Notes that an account was made the main one, and chosen for some guilds. */
export function noteUse(
  confirmed: Pick<Confirmed, 'accounts'>,
  id: string,
  { game, main, guilds }: { game: string; main: boolean; guilds: readonly ConfirmedGuild[] },
): void {
  const held = heldBy(confirmed, id);
  const renewed = held.map((each) =>
    main && each.game === game && each !== held[0] ? { ...each, main: now() } : each,
  );
  confirmed.accounts.set(id, renewed);
  for (const { chosen } of guilds) chosen.set(id, game);
}

/** Notes that one account, or all, ended; the choices end with the last. */
export function noteEnd(confirmed: Pick<Confirmed, 'accounts' | 'guilds'>, id: string, game?: string): void {
  const left = heldBy(confirmed, id).filter((each) => game !== undefined && each.game !== game);
  if (left.length > 0) confirmed.accounts.set(id, left);
  else confirmed.accounts.delete(id);
  if (left.length === 0) for (const { chosen } of confirmed.guilds) chosen.delete(id);
}
