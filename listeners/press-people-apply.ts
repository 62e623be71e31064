import { applyPeople } from '../src/edges/interactions/commands/command-people-import.js';
import { button } from '../src/edges/interactions/press.js';

/** *Import*, or *Import, keep nicknames*, under a people import's review. */
export const PressPeopleApply = button('people-apply', { as: 'admin' }, (press) =>
  applyPeople(press, press.state[0] ?? '', press.state[1] === 'keep' ? 'keep' : 'set'),
);
