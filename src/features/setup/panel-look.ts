import { z } from 'zod';
import { lineOfText } from '../../lib/fields.js';

/** A panel's text and look; absent fields use the default in the guild's language (DISC-39). */
export const panelLook = z.strictObject({
  title: lineOfText(100).exactOptional(),
  text: z.string().trim().min(1).max(1500).exactOptional(),
  /** 0xRRGGBB */
  color: z.int().min(0).max(0xffffff).exactOptional(),
  button: lineOfText(80).exactOptional(),
});
export type PanelLook = z.output<typeof panelLook>;

/** The colour that `#5865F2` or `5865f2` names; null for anything else. Pure. */
export function readColor(text: string): number | null {
  const [, digits] = /^#?([\da-f]{6})$/i.exec(text.trim()) ?? [];
  return digits === undefined ? null : Number.parseInt(digits, 16);
}
