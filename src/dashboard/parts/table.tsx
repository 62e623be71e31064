import type { ComponentProps } from 'react';
import css from './table.module.css';

/** A table in the look of the pages. Mantine's brings its scroll area along, 6 kB more script. */
export const Table = Object.assign(
  ({ className = '', ...props }: ComponentProps<'table'>) => (
    <table {...props} className={`${css.table} ${className}`} />
  ),
  { Thead: 'thead', Tbody: 'tbody', Tr: 'tr', Th: 'th', Td: 'td' } as const,
);
