import { type APIModalInteractionResponseCallbackData, ComponentType, TextInputStyle } from 'discord.js';
import { importFormat } from '../../../features/mapping-import/import-view.js';
import type { PanelLook } from '../../../features/setup/panel-look.js';
import { type TextKey, t } from '../../../lib/translate.js';
import { componentId } from '../component-id.js';
import { note, pressButton } from '../replies/reply.js';
import type { FormReply } from '../replies/reply-answer.js';
import type { ImportedFrom } from '../replies/reply-import.js';

/** Discord's limit for a form field, in characters. */
const longestText = 4000;

export type SetupForm = 'find' | 'import' | 'words';

type Field = APIModalInteractionResponseCallbackData['components'][number];

/** A /setup form; `action` names the submit action and the button that opens the form. */
function formOf(action: SetupForm, title: TextKey, open: TextKey, components: Field[]): FormReply {
  return {
    form: { custom_id: componentId('setup', action), title: t(title), components },
    otherwise: note('neutral', t(title), [pressButton(componentId('setup-form', action), t(open))]),
  };
}

interface TextField {
  label: TextKey;
  hint?: TextKey;
  most: number;
  isLong?: boolean;
  required?: boolean;
  value?: string | undefined;
}

function field(custom_id: string, { label, hint, most, isLong = false, required = true, value }: TextField): Field {
  return {
    type: ComponentType.Label,
    label: t(label),
    ...(hint !== undefined && { description: t(hint) }),
    component: {
      type: ComponentType.TextInput,
      custom_id,
      style: isLong ? TextInputStyle.Paragraph : TextInputStyle.Short,
      max_length: most,
      required,
      ...(value !== undefined && { value }),
    },
  };
}

export const searchForm = (): FormReply =>
  formOf('find', 'setup.find_title', 'setup.find_group', [
    field('group', { label: 'setup.find_label', hint: 'setup.find_hint', most: 300 }),
  ]);

/** Asks for another bot's exported text; `from`: the page to return to. */
export function importForm(from: ImportedFrom): FormReply {
  const options = importFormat.options.map((value) => ({ value, label: t(`import.from_${value}`) }));
  const format: Field = {
    type: ComponentType.Label,
    label: t('import.from_which'),
    component: { type: ComponentType.StringSelect, custom_id: 'format', options },
  };
  const text = field('text', { label: 'import.text_label', hint: 'import.text_hint', most: longestText, isLong: true });
  const custom_id = componentId('import', from);
  const again = from === 'move' ? [pressButton(componentId('move-form', 'rules'), t('move.do_rules'))] : [];
  return {
    form: { custom_id, title: t('import.title'), components: [format, text] },
    otherwise: note('attention', t('import.too_slow'), again),
  };
}

/** Asks for the panel's texts and colour; empty fields use the defaults. */
export function wordsForm({ title, text, button, color }: PanelLook): FormReply {
  const hex = color === undefined ? undefined : `#${color.toString(16).padStart(6, '0')}`;
  return formOf('words', 'setup.words_title', 'setup.change_words', [
    field('title', { label: 'setup.words_heading', most: 100, required: false, value: title }),
    field('text', { label: 'setup.words_text', most: 1500, isLong: true, required: false, value: text }),
    field('button', { label: 'setup.words_button', most: 80, required: false, value: button }),
    field('color', {
      label: 'setup.words_color',
      hint: 'setup.words_color_hint',
      most: 7,
      required: false,
      value: hex,
    }),
  ]);
}
