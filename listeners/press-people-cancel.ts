import { cancelPeople } from '../src/edges/interactions/commands/command-people-import.js';
import { button } from '../src/edges/interactions/press.js';

/** *Cancel*, under an import of people that is running. */
export const PressPeopleCancel = button('people-cancel', { as: 'admin' }, (press) =>
  cancelPeople(press, press.state[0] ?? ''),
);
