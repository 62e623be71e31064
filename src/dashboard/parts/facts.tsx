import { Fragment, type ReactNode } from 'react';
import css from './facts.module.css';

/** A list of names and values, one a line. */
export const Facts = ({ facts }: { facts: readonly (readonly [name: string, value: ReactNode])[] }) => (
  <dl className={css.facts}>
    {facts.map(([name, value]) => (
      <Fragment key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </Fragment>
    ))}
  </dl>
);
