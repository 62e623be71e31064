import { useWords } from '../../i18n/words-provider.js';
import css from './landing.module.css';
import dark from './product-dark.webp';
import light from './product-light.webp';

/** The dashboard of a server at work, in the colours of the page. `npm run pictures` takes it. */
export function ProductPicture() {
  const { t } = useWords();
  const alt = t('landing.product');
  const size = { width: 1120, height: 700, loading: 'lazy' } as const;
  return (
    <figure className={css.product}>
      {/* A picture that is not shown is not loaded either. */}
      <img src={light} alt={alt} className={css.onLight} {...size} />
      <img src={dark} alt={alt} className={css.onDark} {...size} />
    </figure>
  );
}
