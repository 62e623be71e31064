import { choosePeopleWay } from '../src/edges/interactions/commands/command-people-import.js';
import { button } from '../src/edges/interactions/press.js';

/** *Observe first* or *Apply now*, under a people review where another bot may give roles. */
export const PressPeopleWay = button('people-way', { as: 'admin' }, (press) =>
  choosePeopleWay(press, press.state[0] ?? '', press.state[1] === 'observe'),
);
