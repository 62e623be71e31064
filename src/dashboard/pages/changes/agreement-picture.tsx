import { Button, Group } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useGuild } from '../../guild/guild-context.js';
import { useWords } from '../../i18n/words-provider.js';
import { useNow } from '../../parts/now.js';
import css from './changes.module.css';
import { drawAgreement, pictureSize } from './draw-agreement.js';

/** The agreement as a picture to post, saved or copied (OBS-119). */
export function AgreementPicture({ bots, matching, count }: { bots: string; matching: number; count: number }) {
  const { t, number, date } = useWords();
  const { name } = useGuild();
  const now = useNow();
  const canvas = useRef<HTMLCanvasElement>(null);
  const sentence = t('changes.agree_short', { bots, matching: number(matching), count });
  const foot = `${name} · ${date(new Date(now).toISOString())}`;
  useEffect(() => {
    const draw = () => canvas.current && drawAgreement(canvas.current, { sentence, foot, matching, count });
    draw();
    // The typeface may come later than the page.
    void document.fonts.ready.then(draw);
  }, [sentence, foot, matching, count]);
  const save = useMutation({ mutationFn: async () => download(await pngOf(canvas.current)) });
  const copy = useMutation({
    mutationFn: async () => {
      await navigator.clipboard.write([new ClipboardItem({ 'image/png': pngOf(canvas.current) })]);
    },
  });
  return (
    <figure className={css.picture}>
      <canvas ref={canvas} {...pictureSize} role="img" aria-label={`${sentence}. ${foot}`} />
      <figcaption>
        <Group gap="xs">
          <Button size="xs" onClick={() => save.mutate()}>
            {t('changes.picture_save')}
          </Button>
          <Button size="xs" variant="default" onClick={() => copy.mutate()}>
            {t('changes.picture_copy')}
          </Button>
          <span role="status">
            {copy.isSuccess ? t('action.copied') : t(copy.isError ? 'changes.picture_failed' : 'changes.picture_why')}
          </span>
        </Group>
      </figcaption>
    </figure>
  );
}

function pngOf(canvas: HTMLCanvasElement | null): Promise<Blob> {
  return new Promise((resolve, reject) => {
    canvas?.toBlob((blob) => (blob === null ? reject(new Error('The browser draws no picture.')) : resolve(blob)));
  });
}

function download(png: Blob): void {
  const url = URL.createObjectURL(png);
  const link = document.createElement('a');
  link.href = url;
  link.download = 'rolelink-agreement.png';
  link.click();
  URL.revokeObjectURL(url);
}
