import { expect } from 'chai';
import { defaultSettings, settingsWished, wishedSettings } from '../../../src/core/settings/guild-settings.js';
import { fieldInWords } from '../../../src/features/log-channel/change-words.js';
import { settingPaths } from './other-settings.js';

/** The settings as a program for version 0.1.0 sends them: this text never changes. */
const older = {
  verification: { enabled: true, methods: ['oauth', 'profile_code'], minimumAccountAgeDays: 0 },
  nickname: { enabled: true, template: '{gameUsername}' },
  bypass: { keepRoles: [], keepNickname: [] },
  joinMessage: { to: 'none', channelId: null, text: null },
  restrictions: {
    ...{ minimumAccountAgeDays: 0, requiredGroupIds: [], deniedGroupIds: [], deniedGameUserIds: [] },
    ...{ action: 'refuse_roles', reason: null },
  },
  ...{ autoLinkOnJoin: false, reveal: 'auto', locale: 'en', logChannelId: null, trustDiscordAdmins: true },
  unlink: { removeRoles: true, resetNickname: true },
  resync: { automatic: true, everyHours: null },
  massRemoval: { sharePercent: 30, people: 20 },
};

describe('A setting that an older program does not know', () => {
  // SET-2
  it('A document of version 0.1.0 is taken, and leaves each newer setting as it is', () => {
    const wish = wishedSettings.parse(older);
    const current = { ...defaultSettings, mode: 'observe', waitForRules: false } as const;
    expect(settingsWished(wish, current)).to.deep.equal({ ...current, ...older });
    expect(Object.keys(current)).to.include.members(Object.keys(older));
  });

  it('A setting of version 0.1.0 that a document leaves out is refused', () => {
    const { reveal: _, ...without } = older;
    expect(wishedSettings.safeParse(without).success).to.equal(false);
  });

  it('The log channel has words for every setting', () => {
    expect(settingPaths.length).to.be.greaterThan(25);
    expect(settingPaths.filter((path) => fieldInWords(path).replaceAll('\\', '') === path)).to.deep.equal([]);
  });
});
