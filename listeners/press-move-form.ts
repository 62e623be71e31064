import { openMoveForm } from '../src/edges/interactions/move-actions.js';
import { button } from '../src/edges/interactions/press.js';

export const PressMoveForm = button('move-form', { as: 'admin', opensForm: true }, openMoveForm);
