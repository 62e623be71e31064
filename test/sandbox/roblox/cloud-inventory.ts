import { readCloudPage } from './cloud-paging.js';
import type { SandboxGameUser, SandboxItem } from './user-directory.js';
import type { WireContext } from './wire-context.js';
import { cloudError } from './wire-errors.js';

const largestPage = 100;
const kinds: Readonly<Record<string, SandboxItem['kind']>> = {
  badgeIds: 'badge',
  gamePassIds: 'game_pass',
  assetIds: 'asset',
};

/**
 * GET /cloud/v2/users/{user}/inventory-items, by ids in one kind (Roblox cloud/reference/patterns, inventory items).
 */
export function cloudInventory(user: SandboxGameUser, ctx: WireContext): object {
  if (user.inventoryPrivate) throw cloudError(403, 'The inventory is not visible to everyone.');
  const asked = readFilter(ctx.URL.searchParams.get('filter') ?? '');
  const found = user.items.filter(({ kind, id }) => kind === asked.kind && asked.ids.includes(id));
  const page = readCloudPage(ctx, largestPage);
  const start = page.after ?? 0;
  const end = start + page.size;
  return {
    inventoryItems: found.slice(start, end).map((item) => viewItem(user, item)),
    ...(end < found.length && { nextPageToken: page.tokenAfter(end) }),
  };
}

function readFilter(filter: string): { kind: SandboxItem['kind']; ids: string[] } {
  const [, field = '', ids = ''] = /^(\w+)=(\d+(?:,\d+)*)$/.exec(filter) ?? [];
  const kind = kinds[field];
  if (kind === undefined) throw cloudError(400, 'The filter must name ids of one kind.');
  return { kind, ids: ids.split(',') };
}

/** Roblox returns no date for passes. */
function viewItem(user: SandboxGameUser, { kind, id }: SandboxItem) {
  const path = `users/${user.id}/inventory-items/${Buffer.from(`${kind}-${id}`).toString('base64url')}`;
  const addTime = user.createdAt.toISOString();
  if (kind === 'badge') return { path, badgeDetails: { badgeId: id }, addTime };
  if (kind === 'game_pass') return { path, gamePassDetails: { gamePassId: id } };
  return { path, assetDetails: { assetId: id, inventoryItemAssetType: 'HAT', instanceId: id }, addTime };
}
