import { showPeople } from '../src/edges/interactions/command-people-import.js';
import { form } from '../src/edges/interactions/press.js';
import { requireKey } from '../src/features/people-import/people-list.js';
import { linkSource } from '../src/platforms/link-sources/link-sources.js';

/** The key of another bot was typed: shows what asking that bot would do. */
export const SubmitPeopleKey = form('people-key', { as: 'admin' }, async (press) => {
  const key = requireKey(press.interaction.fields.getTextInputValue('key'));
  return showPeople(press, { source: linkSource.parse(press.state[0]), key });
});
