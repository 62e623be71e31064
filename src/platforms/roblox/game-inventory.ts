import { z } from 'zod';
import { gameId } from '../../lib/ids.js';
import { lookUpInCloud } from './open-cloud.js';
import { incompleteAnswer, type Patience } from './roblox-http.js';

/** The item kinds that Open Cloud can look up by id in a person's inventory. */
export const itemKind = z.enum(['badge', 'game_pass', 'asset']);
export type ItemKind = z.output<typeof itemKind>;

/** A page shows at most 100 items. As many ids are requested per call, so that one page is usually enough. */
const itemsPerRead = 100;

/** Ids in different kinds can't be requested together (Roblox cloud/reference/patterns). */
const filters: Readonly<Record<ItemKind, string>> = { badge: 'badgeIds', game_pass: 'gamePassIds', asset: 'assetIds' };

const page = z.object({
  inventoryItems: z
    .array(
      z.object({
        badgeDetails: z.object({ badgeId: gameId }).optional(),
        gamePassDetails: z.object({ gamePassId: gameId }).optional(),
        assetDetails: z.object({ assetId: gameId }).optional(),
      }),
    )
    .default([]),
  nextPageToken: z.string().optional(),
});
type Item = z.output<typeof page>['inventoryItems'][number];

const idOf: Readonly<Record<ItemKind, (item: Item) => string | undefined>> = {
  badge: ({ badgeDetails }) => badgeDetails?.badgeId,
  game_pass: ({ gamePassDetails }) => gamePassDetails?.gamePassId,
  asset: ({ assetDetails }) => assetDetails?.assetId,
};

/** Open Cloud shows only public inventories. */
const isPrivate = { status: 403, code: 'PERMISSION_DENIED' };

/** The item id in typed text: the id itself, or its page's address; null for anything else. */
export function parseItemReference(text: string): string | null {
  const page =
    /^(?:https?:\/\/)?(?:www\.|web\.)?roblox\.com\/(?:[a-z]{2}(?:-[a-z]{2})?\/)?(?:badges|game-pass|catalog|library)\/(\d+)/i;
  const id = gameId.safeParse(page.exec(text.trim())?.[1] ?? text.trim());
  return id.success ? id.data : null;
}

/**
 * The ids among these same-kind items that a person owns; null if their inventory is private. One call per 100 ids; a
 * key has 100 calls a minute. Throws GamePlatformUnavailable on any doubt.
 */
export async function readOwnedItems(
  gameUserId: string,
  kind: ItemKind,
  ids: readonly string[],
  patience?: Patience,
): Promise<Set<string> | null> {
  const owned = new Set<string>();
  for (let start = 0; start < ids.length; start += itemsPerRead) {
    const some = ids.slice(start, start + itemsPerRead);
    const found = await readPages(gameUserId, { kind, ids: some }, patience);
    if (found === null) return null;
    for (const id of found) owned.add(id);
  }
  return owned;
}

async function readPages(
  gameUserId: string,
  { kind, ids }: { kind: ItemKind; ids: readonly string[] },
  patience?: Patience,
): Promise<Set<string> | null> {
  const filter = `${filters[kind]}=${ids.join(',')}`;
  const owned = new Set<string>();
  const tokens = new Set<string>();
  for (let pageToken = ''; ; ) {
    const found = await lookUpInCloud({
      endpoint: 'inventory',
      path: `/cloud/v2/users/${gameId.parse(gameUserId)}/inventory-items`,
      query: { maxPageSize: itemsPerRead, filter, ...(pageToken && { pageToken }) },
      answer: page,
      absent: isPrivate,
      ...(patience && { patience }),
    });
    if (found === null) return null;
    for (const item of found.inventoryItems) {
      const id = idOf[kind](item);
      if (id === undefined || !ids.includes(id)) throw incompleteAnswer('answered an item not asked for');
      owned.add(id);
    }
    pageToken = found.nextPageToken ?? '';
    // A person may hold one item many times: the answer can be complete before the last page.
    if (pageToken === '' || owned.size === ids.length) return owned;
    if (tokens.has(pageToken)) throw incompleteAnswer('the page tokens go round in circles');
    tokens.add(pageToken);
  }
}
