/**
 * Controls except tab and line breaks, and format characters: they are invisible, or reverse the following text's
 * direction. The zero-width joiner stays within emoji.
 */
const invisible = /\u200d(?!\p{Extended_Pictographic})|(?![\u200d\t\n\r])[\p{Cc}\p{Cf}]/gu;

/** Spaces, and characters without width or ink, including script fillers and the Braille blank. */
const nothingSeen = /^[\p{Default_Ignorable_Code_Point}\p{Z}\p{Cc}\p{Cf}\u2800\s]*$/u;

export const isInvisible = (text: string): boolean => nothingSeen.test(text);

export const stripInvisible = (text: string): string => text.replaceAll(invisible, '');
