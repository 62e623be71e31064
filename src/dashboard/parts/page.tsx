import { Title } from '@mantine/core';
import { type ReactNode, type Ref, useEffect, useRef } from 'react';
import css from './page.module.css';

/** The browser announces the first page itself. */
let hasShownPage = false;

/** One page, with the focus on its heading after a navigation. */
export function Page(props: { title: string; lead?: ReactNode; actions?: ReactNode; children?: ReactNode }) {
  const { title, lead, actions, children } = props;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (hasShownPage) heading.current?.focus();
    hasShownPage = true;
  }, []);
  return (
    <>
      <PageHead title={title} lead={lead} actions={actions} heading={heading} />
      {children}
    </>
  );
}

/** The head of a page, with its title in the tab too. It stands before the page's script is there. */
export function PageHead(props: {
  title: string;
  lead?: ReactNode;
  actions?: ReactNode;
  heading?: Ref<HTMLHeadingElement>;
}) {
  const { title, lead, actions, heading } = props;
  useEffect(() => {
    document.title = `${title} · Rolelink`;
  }, [title]);
  return (
    <header className={css.head}>
      <div className={css.words}>
        <Title order={1} ref={heading} tabIndex={-1} className={css.title}>
          {title}
        </Title>
        {lead !== undefined && <p className={css.lead}>{lead}</p>}
      </div>
      {actions && <div className={css.actions}>{actions}</div>}
    </header>
  );
}

/** A page part under its own heading; with an `id`, an address can lead to it. */
export function Section(props: {
  title: string;
  id?: string;
  actions?: ReactNode;
  children: ReactNode;
  plain?: boolean;
}) {
  const { title, id, actions, children, plain = false } = props;
  return (
    <section className={css.section} aria-label={title} {...(id !== undefined && { id, tabIndex: -1 })}>
      <div className={css.sectionHead}>
        <Title order={2}>{title}</Title>
        {actions}
      </div>
      {plain ? children : <div className={css.card}>{children}</div>}
    </section>
  );
}
