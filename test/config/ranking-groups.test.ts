import { expect } from 'chai';
import { loadConfig } from '../../src/config/config.js';

const needed = { DISCORD_TOKEN: 'token' };

// ROBLOX-26
describe('RANKING_GROUPS', () => {
  const withKey = { ...needed, ROBLOX_API_KEY: 'key' };

  const mistake = (RANKING_GROUPS: string, environment: Record<string, string> = withKey): string => {
    try {
      loadConfig({ ...environment, RANKING_GROUPS });
      return '';
    } catch (error) {
      return String(error);
    }
  };

  it('RANKING_GROUPS is read as a list of groups, and each mistake is explained', () => {
    expect(loadConfig({ ...withKey, RANKING_GROUPS: '12, 34' }).rankingGroups).to.deep.equal(new Set(['12', '34']));
    expect(mistake('crew')).to.contain('RANKING_GROUPS: ');
    expect(mistake('12,034')).to.contain('RANKING_GROUPS: ');
    expect(mistake('12,12')).to.contain('RANKING_GROUPS: must not name a group twice');
    const many = Array.from({ length: 51 }, (_, index) => index + 1).join();
    expect(mistake(many)).to.contain('RANKING_GROUPS: must name at most 50 groups');
    expect(mistake('12', needed)).to.contain('RANKING_GROUPS: needs ROBLOX_API_KEY, with the permission group:write');
  });
});
