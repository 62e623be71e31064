import type { z } from 'zod';
import { gameId } from '../../lib/ids.js';
import { itemKind } from '../../platforms/roblox/game-inventory.js';

/** An item that somebody may own on Roblox. */
export const gameItem = { kind: itemKind, id: gameId };
export type GameItem = z.output<z.ZodObject<typeof gameItem>>;

/** Stands for an item in stored answers and in lists: `badge:12`. */
export const itemKey = ({ kind, id }: GameItem): string => `${kind}:${id}`;

/** What Roblox says of an account beside its groups; null: not known, which gives nothing and takes nothing (ROBLOX-14). */
export interface GameTraits {
  premium: boolean | null;
  /** Whole days since Roblox made the account. */
  ageDays: number | null;
  owns(item: GameItem): boolean | null;
  /** Whether Roblox shows the inventory to nobody, as the person wishes. */
  isPrivate: boolean;
}

/** Of somebody without an account, or whose account Roblox has deleted or banned: they have nothing. */
export const noTraits: GameTraits = { premium: false, ageDays: 0, owns: () => false, isPrivate: false };

/** Of an account of which Roblox said nothing. */
export const unknownTraits: GameTraits = { premium: null, ageDays: null, owns: () => null, isPrivate: false };
