import { offerVerification } from '../src/edges/interactions/commands/command-verify.js';
import { button } from '../src/edges/interactions/press.js';

/** *Verify*, under a panel or a reply. With the state `another`, it is "Link another account". */
export const PressVerify = button('verify', { as: 'member', opensForm: true }, (press) =>
  offerVerification(press, press.state.includes('another')),
);
