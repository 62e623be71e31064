/** Markup that is safe to send. */
export interface Html {
  readonly markup: string;
}

type Fragment = Html | readonly Html[] | string | number;

/** Template tag: text and numbers are escaped, markup made by this tag goes in as it is. */
export function html(strings: TemplateStringsArray, ...values: Fragment[]): Html {
  return { markup: strings.reduce((page, text, at) => `${page}${render(values[at - 1] ?? '')}${text}`) };
}

function render(value: Fragment): string {
  if (typeof value === 'object') return 'markup' in value ? value.markup : value.map((part) => part.markup).join('');
  return String(value).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
