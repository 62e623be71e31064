import { type PanelLook, panelLook, readColor } from '../../features/setup/panel-look.js';
import { InvalidRequest } from '../../lib/errors.js';
import { t } from '../../lib/translate.js';

/** Reads the panel's look from typed texts; empty ones are omitted. Throws InvalidRequest. */
export function readLook({ color: hex, ...words }: Record<keyof PanelLook, string | null>): PanelLook {
  const color = hex ? readColor(hex) : undefined;
  if (color === null) throw new InvalidRequest([{ path: 'color', message: t('panel.color_unknown') }]);
  const given = Object.entries({ ...words, color }).filter(
    ([, value]) => value !== null && value !== '' && value !== undefined,
  );
  const parsed = panelLook.safeParse(Object.fromEntries(given));
  if (parsed.success) return parsed.data;
  throw new InvalidRequest(parsed.error.issues.map(({ path, message }) => ({ path: path.join('.'), message })));
}
