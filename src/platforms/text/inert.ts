export { inertDiscordText as inertText } from './discord-text.ts';
export { visibleName as inertName } from './visible-text.ts';
