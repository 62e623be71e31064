import css from './code-text.module.css';

/** A text for machines, as it is; long lines go on in the next. */
export const CodeText = ({ children }: { children: string }) => <pre className={css.code}>{children}</pre>;
