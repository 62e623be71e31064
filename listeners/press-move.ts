import { pressMove } from '../src/edges/interactions/move-actions.js';
import { button } from '../src/edges/interactions/press.js';

/** *Coming from another bot?*, and the buttons of its steps that open no form. */
export const PressMove = button('move', { as: 'admin' }, pressMove);
