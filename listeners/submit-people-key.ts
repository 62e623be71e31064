import { showPeople } from '../src/edges/interactions/commands/command-people-import.js';
import { form } from '../src/edges/interactions/press.js';
import { requireKey } from '../src/features/people-import/people-list.js';
import { InvalidRequest } from '../src/lib/errors.js';
import { t } from '../src/lib/translate.js';
import { linkSource } from '../src/platforms/link-sources/link-sources.js';

/** Another bot's key was typed: shows the effect of asking that bot. */
export const SubmitPeopleKey = form('people-key', { as: 'admin' }, async (press) => {
  const key = requireKey(press.interaction.fields.getTextInputValue('key'));
  const source = linkSource.safeParse(press.state[0]);
  if (!source.success) throw new InvalidRequest([{ path: 'people', message: t('import.from_needed') }]);
  return showPeople(press, { source: source.data, key });
});
