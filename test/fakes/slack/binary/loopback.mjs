// Runs inside the program before its own code, which has an option for neither of these.
import { rmSync } from 'node:fs';
import { dirname } from 'node:path';

const serve = Bun.serve;
Bun.serve = (options) => serve({ ...options, hostname: '127.0.0.1' });

// Whoever started it holds the other end. When that process is gone, so are this one and its files.
const config = process.argv[process.argv.indexOf('--config') + 1];
process.stdin.on('end', () => {
  rmSync(dirname(config), { recursive: true, force: true });
  process.exit(0);
});
process.stdin.resume();
