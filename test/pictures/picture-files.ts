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
/** The pictures of the landing page, one for each scheme. */
export const landingPictures = ['product-light', 'product-dark'] as const;

export type PictureName = (typeof paperPictures)[number] | (typeof landingPictures)[number];

/** The most that one picture, and all of docs/images, may take, in bytes; `each`: the size that is aimed at. */
export const mostBytes = { each: 45_000, one: 60_000, all: 400_000 } as const;
