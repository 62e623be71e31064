import css from './code-text.module.css';

/** A text for machines, unchanged; long lines wrap. */
export const CodeText = ({ children }: { children: string }) => <pre className={css.code}>{children}</pre>;
