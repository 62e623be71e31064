import { z } from 'zod';

/**
 * A sign-in's browser and system, by which a person recognizes a session. Nothing else from the user agent is stored
 * (AUTH-52).
 */
export const sessionDevice = z.strictObject({
  browser: z.enum(['chrome', 'edge', 'firefox', 'opera', 'safari', 'samsung']).nullable(),
  system: z.enum(['android', 'chromeos', 'ios', 'linux', 'macos', 'windows']).nullable(),
});
export type SessionDevice = z.output<typeof sessionDevice>;

type Marks<Name extends string> = readonly (readonly [mark: string, name: Name])[];

/** The first mark decides: most browsers also name Chrome and Safari, and phones also name Linux or Mac OS. */
const browsers: Marks<NonNullable<SessionDevice['browser']>> = [
  ['Edg', 'edge'],
  ['OPR/', 'opera'],
  ['SamsungBrowser/', 'samsung'],
  ['Firefox/', 'firefox'],
  ['FxiOS/', 'firefox'],
  ['Chrome/', 'chrome'],
  ['CriOS/', 'chrome'],
  ['Safari/', 'safari'],
];
const systems: Marks<NonNullable<SessionDevice['system']>> = [
  ['Windows', 'windows'],
  ['iPhone', 'ios'],
  ['iPad', 'ios'],
  ['Android', 'android'],
  ['CrOS', 'chromeos'],
  ['Mac OS X', 'macos'],
  ['Linux', 'linux'],
];

/** Reads browser and system from a `User-Agent`; null for each that it doesn't name. */
export function deviceOf(userAgent: string | undefined): SessionDevice {
  const named = <Name extends string>(marks: Marks<Name>): Name | null =>
    marks.find(([mark]) => userAgent?.includes(mark))?.[1] ?? null;
  return { browser: named(browsers), system: named(systems) };
}
