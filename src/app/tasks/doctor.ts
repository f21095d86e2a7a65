/** The task `doctor`: looks at everything and says what to do. */

import { paletteFor } from '../../platforms/terminal/page.ts';
import { examine } from '../operator/doctor.ts';
import type { Surroundings } from '../session.ts';
import { openSpeakers } from '../speakers.ts';
import { checksOf } from './checks.ts';

/** @returns 0 when all is well, 1 when something failed. */
export async function doctor(around: Surroundings, isOffline: boolean): Promise<number> {
  const { config, output } = around;
  const palette = paletteFor(around.colour);
  await using speakers = await openSpeakers(config, around.ending);
  let failed = 0;
  if (speakers.notice) output.write(`${speakers.notice}\n\n`);
  for await (const finding of examine(checksOf(config, speakers, isOffline))) {
    if (!finding.isWell) failed += 1;
    const mark = finding.isWell ? palette.good('✓') : palette.bad('✗');
    output.write(`${mark} ${finding.name}: ${finding.text}\n`);
  }
  output.write(
    failed === 0
      ? '\nAll is well.\n'
      : `\n${failed === 1 ? 'One thing needs' : `${failed} things need`} mending.\n`,
  );
  return failed === 0 ? 0 : 1;
}
