import { pressMove } from '../src/edges/interactions/move-actions.js';
import { button } from '../src/edges/interactions/press.js';

/** *Coming from another bot?*, and its steps' buttons that open no form. */
export const PressMove = button('move', { as: 'admin' }, pressMove);
