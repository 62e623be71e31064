/** The pictures of the papers, in docs/images. */
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
export type PaperPicture = (typeof paperPictures)[number];

/** The most that one picture, and all of docs/images, may take, in bytes; `each`: the size that is aimed at. */
export const mostBytes = { each: 45_000, one: 60_000, all: 400_000 } as const;
