/** Every command of `/council`, in the order of the help. Adding one is a file and a line here. */

import { again } from './again.ts';
import { ask } from './ask.ts';
import { config } from './config.ts';
import { deeper } from './deeper.ts';
import { dismiss } from './dismiss.ts';
import { exportCommand } from './export.ts';
import { feedback } from './feedback.ts';
import { help } from './help.ts';
import { leaderboard } from './leaderboard.ts';
import { memory } from './memory.ts';
import { minutes } from './minutes.ts';
import { next } from './next.ts';
import { post } from './post.ts';
import { preset } from './preset.ts';
import { receipt } from './receipt.ts';
import { reviews } from './reviews.ts';
import { sages } from './sages.ts';
import { share } from './share.ts';
import { stop } from './stop.ts';
import { summon } from './summon.ts';

export const commands = [
  ask,
  sages,
  summon,
  dismiss,
  preset,
  config,
  memory,
  minutes,
  deeper,
  again,
  next,
  post,
  share,
  reviews,
  receipt,
  feedback,
  leaderboard,
  exportCommand,
  stop,
  help,
] as const;
