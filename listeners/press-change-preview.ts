import { previewGuild } from '../src/edges/interactions/commands/command-preview.js';
import { button } from '../src/edges/interactions/press.js';
import { rowOf } from '../src/edges/interactions/replies/reply.js';
import { undoButton } from '../src/edges/interactions/replies/reply-change.js';

/** *Preview*, under a change: a resync's effect now, while the change can still be undone. */
export const PressChangePreview = button('change-preview', { as: 'viewer' }, async (press) => {
  const reply = await previewGuild(press);
  const [undoId = ''] = press.state;
  return { ...reply, components: [...reply.components, ...rowOf([undoButton(undoId)])] };
});
