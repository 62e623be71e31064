/** A text as a search compares it: in one case, with composed letters and one sigma form. Pure. */
export const searchText = (text: string): string => text.toLowerCase().normalize('NFC').replaceAll('ς', 'σ');
