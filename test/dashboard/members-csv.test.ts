import { expect } from 'chai';
import { membersCsv } from '../../src/dashboard/pages/members/members-csv.js';

const member = {
  memberId: '175928847299117063',
  chatUsername: 'ada',
  gameUserId: '261',
  gameUsername: 'Ada_R',
  status: 'linked',
  linkedAt: '2026-01-02T03:04:05.000Z',
  lastSync: null,
} as const;

describe('Members as CSV', () => {
  it('Members as CSV begin with the two ids that an import reads', () => {
    const lines = membersCsv([member]).split('\r\n');
    expect(lines).to.deep.equal([
      'chatUserId,gameUserId,chatUsername,gameUsername,status,linkedAt,lastSyncAt',
      '175928847299117063,261,ada,Ada_R,linked,2026-01-02T03:04:05.000Z,',
      '',
    ]);
  });

  it('Members as CSV quote text that would break a line, and disarm text that a spreadsheet would run', () => {
    const [, line] = membersCsv([{ ...member, chatUsername: '=1+1', gameUsername: 'a,"b' }]).split('\r\n');
    expect(line).to.equal(`175928847299117063,261,'=1+1,"a,""b",linked,2026-01-02T03:04:05.000Z,`);
  });
});
