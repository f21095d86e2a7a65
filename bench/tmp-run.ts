import { benchDiscord } from './discord-tmp.ts';
await benchDiscord();
