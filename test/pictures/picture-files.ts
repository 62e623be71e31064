import { type Locale, locale } from '../../src/lib/translate.js';

export const paperFolder = 'docs/images';
export const landingFolder = 'src/dashboard/pages/landing';

/** The pictures of the papers. */
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
/** The pictures of the landing page, one for each language and scheme. */
export const landingPictures = locale.options.flatMap((language) =>
  (['light', 'dark'] as const).map((scheme) => ({ name: `product-${language}-${scheme}` as const, language, scheme })),
);

export type PictureName = (typeof paperPictures)[number] | `product-${Locale}-${'light' | 'dark'}`;

/** The most that one picture, and all of docs/images, may take, in bytes; `each`: the size that is aimed at. */
export const mostBytes = { each: 45_000, one: 60_000, all: 400_000 } as const;
