import { locale } from '../../src/lib/translate.js';

export const paperFolder = 'docs/images';
export const landingFolder = 'src/dashboard/pages/landing';

/** The papers' pictures. */
export const paperPictures = [
  'overview',
  'mappings',
  'set-up',
  'why',
  'deliveries',
  'differences',
  'landing',
  'verify',
  'phone',
  'discord',
] as const;
/** What the landing page shows: the whole dashboard, then the part beside its three lines. */
export const landingViews = ['product', 'compare', 'reasons', 'ranks'] as const;
export type LandingView = (typeof landingViews)[number];

/** The languages and colours in which each view is taken. */
export const landingLooks = locale.options.flatMap((language) =>
  (['light', 'dark'] as const).map((scheme) => ({ language, scheme })),
);
export type LandingLook = (typeof landingLooks)[number];

export const landingPicture = (view: LandingView, { language, scheme }: LandingLook): PictureName =>
  `${view}-${language}-${scheme}`;

export type PictureName =
  | (typeof paperPictures)[number]
  | `${LandingView}-${LandingLook['language']}-${LandingLook['scheme']}`;

/** The most that one picture, and all docs/images, may take, in bytes; `each`: the size that is aimed at. */
export const mostBytes = { each: 45_000, one: 60_000, all: 400_000 } as const;
