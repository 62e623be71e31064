import { applyPeople } from '../src/edges/interactions/command-people-import.js';
import { button } from '../src/edges/interactions/press.js';

/** *Import*, under the review of an import of people. */
export const PressPeopleApply = button('people-apply', { as: 'admin' }, (press) =>
  applyPeople(press, press.state[0] ?? ''),
);
