const first = [
  ...['Nova', 'Theo', 'Ivy', 'Mika', 'Juno', 'Finn', 'Lena', 'Omar', 'Sana', 'Hugo', 'Iris', 'Kai', 'Noor', 'Remy'],
  ...['Zoe', 'Axel', 'Bea', 'Cleo', 'Dara', 'Eli', 'Faye', 'Gus', 'Hana', 'Jonas', 'Kira', 'Leo', 'Maya', 'Nils'],
];
const second = ['Strike', 'Vale', 'Orbit', 'Ridge', 'Comet', 'Harbor', 'Pike', 'Ember', 'Frost', 'Wren', 'Quill'];

/** One person's names on Discord and on Roblox. */
export interface ShowcaseName {
  username: string;
  gameUsername: string;
}

/** As many different names as the two lists have pairs: 308. */
export const showcaseNames: readonly ShowcaseName[] = Array.from(
  { length: first.length * second.length },
  (_, index): ShowcaseName => {
    const one = first[index % first.length] ?? '';
    const other = second[(index + Math.floor(index / first.length)) % second.length] ?? '';
    const username = [`${one}.${other}`, `${one}_${other}`, `${one}${other}`][index % 3] ?? one;
    return { username: username.toLowerCase(), gameUsername: `${one}${other}` };
  },
);
