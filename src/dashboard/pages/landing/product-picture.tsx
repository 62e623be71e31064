import { useWords } from '../../i18n/words-provider.js';
import css from './landing.module.css';

/** The addresses of `product-en-light.webp` and its siblings. */
const pictures = import.meta.glob<string>('./product-*.webp', { eager: true, import: 'default' });

/** The dashboard of a server at work, in the language and colours of the page. `npm run pictures` takes it. */
export function ProductPicture() {
  const { t, language } = useWords();
  const alt = t('landing.product');
  const size = { width: 1120, height: 700, loading: 'lazy' } as const;
  return (
    <figure className={css.product}>
      {/* A picture that is not shown is not loaded either. */}
      <img src={pictures[`./product-${language}-light.webp`]} alt={alt} className={css.onLight} {...size} />
      <img src={pictures[`./product-${language}-dark.webp`]} alt={alt} className={css.onDark} {...size} />
    </figure>
  );
}
