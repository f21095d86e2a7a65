export { describe as describeWithSlack } from 'vitest';
