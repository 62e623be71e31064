import type { z } from 'zod';
import { gameId } from '../../lib/ids.js';
import { itemKind } from '../../platforms/roblox/game-inventory.js';

export const gameItem = { kind: itemKind, id: gameId };
export type GameItem = z.output<z.ZodObject<typeof gameItem>>;

/** An item as one key for stored answers and lists: `badge:12`. */
export const itemKey = ({ kind, id }: GameItem): string => `${kind}:${id}`;

/**
 * Roblox's facts about an account apart from its groups. Null means unknown, which gives nothing and takes nothing
 * (ROBLOX-14).
 */
export interface GameTraits {
  premium: boolean | null;
  /** Whole days since the account was created. */
  ageDays: number | null;
  owns(item: GameItem): boolean | null;
  /** Whether the person hides the inventory on Roblox. */
  isPrivate: boolean;
}

/** The traits for a person without an account, or with a deleted or banned one: they have nothing. */
export const noTraits: GameTraits = { premium: false, ageDays: 0, owns: () => false, isPrivate: false };

/** The traits for an account that Roblox did not answer about. */
export const unknownTraits: GameTraits = { premium: null, ageDays: null, owns: () => null, isPrivate: false };
