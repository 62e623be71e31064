import { cancelPeople } from '../src/edges/interactions/commands/command-people-import.js';
import { button } from '../src/edges/interactions/press.js';

/** *Cancel*, under a running people import. */
export const PressPeopleCancel = button('people-cancel', { as: 'admin' }, (press) =>
  cancelPeople(press, press.state[0] ?? ''),
);
