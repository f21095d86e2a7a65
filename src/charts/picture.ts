/** Pictures (PNG) of what is drawn. The only place that knows what draws them. */

import { fileURLToPath } from 'node:url';

const font = fileURLToPath(new URL('inter.ttf', import.meta.url));

/**
 * Draws an SVG, beside what else the process does.
 *
 * @param scale - Pixels of the picture for one of the drawing.
 * @returns The bytes of a PNG; `undefined` where this machine can't draw. Throws what is wrong with the SVG.
 */
export async function pictureOf(svg: string, scale = 2): Promise<Buffer | undefined> {
  // Loaded by the first drawing; absent where its program for this kind of machine was not installed.
  const resvg = await import('@resvg/resvg-js').catch(() => undefined);
  // The machine's own fonts are left out: the same turn gives the same picture everywhere.
  const fonts = { fontFiles: [font], loadSystemFonts: false, defaultFontFamily: 'Inter' };
  const image = await resvg?.renderAsync(svg, {
    font: fonts,
    fitTo: { mode: 'zoom', value: scale },
  });
  return image?.asPng();
}
