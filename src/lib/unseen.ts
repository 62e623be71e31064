/**
 * Controls but tab and line breaks, and format characters: they hide, or turn the direction of the text after them.
 * One of them joins emoji, and stays where it does.
 */
const unseen = /\u200d(?!\p{Extended_Pictographic})|(?![\u200d\t\n\r])[\p{Cc}\p{Cf}]/gu;

/** Text from people with nothing in it that is not seen. */
export const withoutUnseen = (text: string): string => text.replaceAll(unseen, '');
