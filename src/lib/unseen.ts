/**
 * Controls but tab and line breaks, and format characters: they hide, or turn the direction of the text after them.
 * One of them joins emoji, and stays where it does.
 */
const unseen = /\u200d(?!\p{Extended_Pictographic})|(?![\u200d\t\n\r])[\p{Cc}\p{Cf}]/gu;

/** Spaces, and what takes up no room or is drawn as nothing: fillers of scripts and the blank of Braille too. */
const nothingSeen = /^[\p{Default_Ignorable_Code_Point}\p{Z}\p{Cc}\p{Cf}\u2800\s]*$/u;

/** Whether nothing of a text is seen. */
export const isUnseen = (text: string): boolean => nothingSeen.test(text);

/** Text from people with nothing in it that is not seen. */
export const withoutUnseen = (text: string): string => text.replaceAll(unseen, '');
