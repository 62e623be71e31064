import { undoPeople } from '../src/edges/interactions/commands/command-people-import.js';
import { button } from '../src/edges/interactions/press.js';

/** *Undo*, under a people import that has ended. */
export const PressPeopleUndo = button('people-undo', { as: 'admin' }, (press) =>
  undoPeople(press, press.state[0] ?? ''),
);
