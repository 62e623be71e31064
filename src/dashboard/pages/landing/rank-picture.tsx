import type { CSSProperties } from 'react';
import { useWords } from '../../i18n/words-provider.js';
import css from './landing.module.css';

/** Names as a Roblox group and a Discord server may have them, which no language changes. */
const rows = [
  { member: 'nova', rank: 'Commander', value: 200, color: '#e67e22' },
  { member: 'theo', rank: 'Officer', value: 100, color: '#3498db' },
  { member: 'ivy', rank: 'Recruit', value: 1, color: '#2ecc71' },
] as const;

/** The product in a picture: members with their ranks on Roblox, and the roles that those give. */
export function RankPicture() {
  const { t } = useWords();
  return (
    <div role="img" aria-label={t('landing.picture')} className={css.picture}>
      <p className={css.pictureTitle}>Space Rangers</p>
      {rows.map(({ member, rank, value, color }) => (
        <div key={member} className={css.pictureRow} style={{ '--role': color } as CSSProperties}>
          <span className={css.face}>{member.slice(0, 1).toUpperCase()}</span>
          <span className={css.rank}>
            <strong>{member}</strong>
            <span>
              {rank} · {value}
            </span>
          </span>
          <span className={css.arrow}>→</span>
          <span className={css.given}>@{rank}</span>
        </div>
      ))}
    </div>
  );
}
