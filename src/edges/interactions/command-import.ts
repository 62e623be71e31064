import {
  dropImportDraft,
  type ImportDraft,
  keepImportDraft,
  readImportDraft,
} from '../../features/mappings/import-draft.js';
import { importMappings } from '../../features/mappings/import-service.js';
import { changeSetup, openSetup } from '../../features/setup/setup-service.js';
import { t } from '../../lib/translate.js';
import type { Entrance } from './command-access.js';
import { card, type Reply } from './reply.js';
import { changing } from './reply-change.js';
import { type ImportedFrom, importReview } from './reply-import.js';
import { showStep } from './setup-pages.js';

/** Says what importing a text would do, and keeps it until that is confirmed. Throws as `importMappings` does. */
export async function reviewImport({ guild, actor }: Entrance, draft: ImportDraft, from: ImportedFrom): Promise<Reply> {
  const { format, text } = draft;
  const plan = await importMappings(guild, actor, { format, text, addGroups: true, dryRun: true });
  await keepImportDraft(draft);
  return importReview(plan, from);
}

/** Imports the text that waits, and goes on with the setup that it was given in. Throws as `importMappings` does. */
export async function applyImport(entrance: Entrance, isOfSetup: boolean): Promise<Reply> {
  const { guild, actor } = entrance;
  const { format, text } = await readImportDraft(guild._id);
  const done = async (): Promise<string> => {
    const { created } = await importMappings(guild, actor, { format, text, addGroups: true, dryRun: false });
    await dropImportDraft(guild._id);
    return t('import.done', { count: created.length });
  };
  if (!isOfSetup) return changing(entrance, async () => card(t('import.title'), [await done()], 'fine', []));
  const words = await done();
  await openSetup(guild, null);
  return showStep(entrance, await changeSetup(guild._id, { groupId: null }), 'verified', [words]);
}
