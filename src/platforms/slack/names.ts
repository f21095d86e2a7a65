/** What the app is set up with in Slack; the manifest says the same. */

/** The slash command. */
export const slashName = '/council';
/** “Ask the council” in the menu of a message. */
export const askShortcut = 'ask_council';
