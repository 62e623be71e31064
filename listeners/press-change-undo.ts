import { button } from '../src/edges/interactions/press.js';
import { note } from '../src/edges/interactions/replies/reply.js';
import { changing } from '../src/edges/interactions/replies/reply-change.js';
import { undoChange } from '../src/features/configuration/undo-service.js';
import { t } from '../src/lib/translate.js';

/** *Undo*, under a change. An undo is itself a change and can be undone. */
export const PressChangeUndo = button('change-undo', { as: 'manager' }, (press) =>
  changing(press, async () => {
    const { guild, actor, state } = press;
    await undoChange(guild, actor, state[0] ?? '');
    return note('fine', t('change.undone'));
  }),
);
