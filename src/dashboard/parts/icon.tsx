import css from './icon.module.css';

/** Each sign's lines, in a square with sides of 24. */
const lines = {
  home: 'M4 11.5 12 5l8 6.5V19a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1zM10 20v-6h4v6',
  people:
    'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7M2.5 20c0-4 3-6 6.5-6s6.5 2 6.5 6M16 4.3a3.5 3.5 0 0 1 0 6.4M18.5 14.7c2 .8 3 2.6 3 5.3',
  arrows: 'M4 8h13M13.5 4.5 17 8l-3.5 3.5M20 16H7M10.5 12.5 7 16l3.5 3.5',
  blocks: 'M4 4h7v7H4zM13 13h7v7h-7zM13 7.5h3.5V11M11 16.5H7.5V13',
  eye: 'M2.5 12C5 7.5 8.2 5.5 12 5.5s7 2 9.5 6.5c-2.5 4.5-5.7 6.5-9.5 6.5S5 16.5 2.5 12M12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6',
  compare: 'M12 4v16M9 6H4v12h5M15 6h5v12h-5M6.5 10v4M17.5 10v4',
  join: 'M10 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7M3 20c0-4 3.2-6 7-6 1.4 0 2.7.3 3.8.8M18 14v7M14.5 17.5h7',
  refresh: 'M19.5 10A8 8 0 0 0 5 7.5L3.5 9.5M3.5 4.5v5h5M4.5 14A8 8 0 0 0 19 16.5l1.5-2M20.5 19.5v-5h-5',
  bolt: 'M13 3 5 13.5h6L10.5 21 19 10.5h-6z',
  key: 'M8 19a4 4 0 1 0 0-8 4 4 0 0 0 0 8M11 12.2 19.5 4M16 7.5l3 3',
  file: 'M6 3h8l4.5 4.5V20a1 1 0 0 1-1 1H6a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1M14 3v5h4.5M8.5 13h7M8.5 17h5',
  sliders: 'M4 7h9M17 7h3M15 9a2 2 0 1 0 0-4 2 2 0 0 0 0 4M4 17h3M11 17h9M9 19a2 2 0 1 0 0-4 2 2 0 0 0 0 4',
  shield: 'M12 3l7.5 2.5V11c0 5-3 8-7.5 10-4.5-2-7.5-5-7.5-10V5.5zM8.8 12l2.2 2.2 4.2-4.4',
  card: 'M4 5.5h16a1 1 0 0 1 1 1v11a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1v-11a1 1 0 0 1 1-1M3 10h18M7 14.5h4',
  list: 'M9 6h11M9 12h11M9 18h11M4.5 6h.01M4.5 12h.01M4.5 18h.01',
  flag: 'M6 21V4M6 4.5h11l-2.5 4 2.5 4H6',
  search: 'M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13M15.3 15.3 20.5 20.5',
  menu: 'M4 6.5h16M4 12h16M4 17.5h16',
  down: 'M6.5 9.5 12 15l5.5-5.5',
  more: 'M5.5 12h.4M11.8 12h.4M18.1 12h.4',
  link: 'M10 14a4 4 0 0 0 5.7 0l3.1-3.1a4 4 0 0 0-5.7-5.7L12 6.3M14 10a4 4 0 0 0-5.7 0l-3.1 3.1a4 4 0 0 0 5.7 5.7l1.1-1.1',
} as const;

export type IconName = keyof typeof lines;

/** A small sign next to a word with the same meaning, so it is hidden from screen readers. */
export const Icon = ({ name }: { name: IconName }) => (
  <svg viewBox="0 0 24 24" className={css.icon} aria-hidden="true">
    <path d={lines[name]} />
  </svg>
);
