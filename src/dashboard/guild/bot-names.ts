/** The bots that people's accounts can be imported from. */
export const botNames = { bloxlink: 'Bloxlink', rover: 'RoVer', rowifi: 'RoWifi' } as const;
