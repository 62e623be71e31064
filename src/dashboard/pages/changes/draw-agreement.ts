/** The picture's words and numbers. It names no person. */
export interface Agreement {
  sentence: string;
  /** The server and the day. */
  foot: string;
  matching: number;
  count: number;
}

/** The size that chats show whole, in pixels. */
export const pictureSize = { width: 1200, height: 630 } as const;

const colors = { ground: '#12151e', text: '#ffffff', quiet: '#b5bbcc', track: '#2d3245', bar: '#8c82ff' } as const;
const edge = 80;
const font = (size: number, weight: number) => `${weight} ${size}px Inter, system-ui, sans-serif`;

/** Draws how far two bots agree: the share as a number and as a bar, the sentence, the server and the day. */
export function drawAgreement(canvas: HTMLCanvasElement, { sentence, foot, matching, count }: Agreement): void {
  const pen = canvas.getContext('2d');
  if (pen === null) return;
  const { width, height } = pictureSize;
  const wide = width - 2 * edge;
  const text = (words: string, y: number, size: number, { weight = 600, color = colors.text as string } = {}) => {
    pen.font = font(size, weight);
    pen.fillStyle = color;
    pen.fillText(words, edge, y, wide);
  };
  const bar = (share: number, color: string) => {
    pen.fillStyle = color;
    pen.beginPath();
    pen.roundRect(edge, 250, Math.max(28, wide * share), 28, 14);
    pen.fill();
  };
  pen.fillStyle = colors.ground;
  pen.fillRect(0, 0, width, height);
  text('Rolelink', 100, 34, { color: colors.bar });
  text(`${matching} / ${count}`, 215, 96, { weight: 700 });
  bar(1, colors.track);
  if (matching > 0) bar(matching / count, colors.bar);
  pen.font = font(48, 600);
  for (const [line, words] of linesOf(pen, sentence, wide).entries()) text(words, 360 + line * 62, 48);
  text(foot, height - 60, 28, { weight: 400, color: colors.quiet });
}

/** Breaks words into lines up to this width, in the pen's present font. */
function linesOf(pen: CanvasRenderingContext2D, words: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of words.split(' ')) {
    const last = lines.at(-1);
    const longer = last === undefined ? word : `${last} ${word}`;
    if (last === undefined || pen.measureText(longer).width <= width) lines.splice(-1, 1, longer);
    else lines.push(word);
  }
  return lines;
}
