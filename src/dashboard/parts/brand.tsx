import { Link } from '@tanstack/react-router';
import css from './brand.module.css';

/** The mark and the name: a round person and a tilted block, linked. Leads home. */
export const Brand = ({ to }: { to: '/' | '/g' }) => (
  <Link to={to} className={css.brand ?? ''}>
    <img src="/favicon.svg" alt="" width={28} height={28} />
    Rolelink
  </Link>
);
