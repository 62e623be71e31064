import type { PlannedPage } from './guild-plan.js';
import { missingGroups } from './guild-rules.js';

/** Asks once more, as a resync does, whether a group still exists before a plan takes something for its absence. */
export class DoubtfulGroups {
  /** Groups that Roblox no longer knew at the second question. */
  readonly gone = new Set<string>();
  readonly #asked = new Set<string>();

  /** The page without members whose losses rest on a group that is gone: they are unknown. Throws GamePlatformUnavailable. */
  async without(page: PlannedPage): Promise<PlannedPage> {
    const named = new Set(page.differing.flatMap(({ absentFrom }) => absentFrom));
    const unsure = [...named].filter((groupId) => !this.#asked.has(groupId));
    for (const groupId of await missingGroups(unsure, { fresh: true })) this.gone.add(groupId);
    for (const groupId of unsure) this.#asked.add(groupId);
    const sure = page.differing.filter(({ absentFrom }) => !absentFrom.some((groupId) => this.gone.has(groupId)));
    return { ...page, differing: sure, unknown: page.unknown + page.differing.length - sure.length };
  }
}
