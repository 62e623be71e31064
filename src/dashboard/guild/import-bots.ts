/** The bots that people's accounts can be imported from. */
export const botNames = { bloxlink: 'Bloxlink', rover: 'RoVer', rowifi: 'RoWifi' } as const;

export const isBot = (name: string): name is keyof typeof botNames => Object.hasOwn(botNames, name);
