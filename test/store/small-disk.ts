import { spawnSync } from 'node:child_process';

/** Runs a command with a disk of its own, of 3 MB, mounted on a folder. Fails where a user may not mount. */
export function onSmallDisk(folder: string, ...command: readonly string[]) {
  const mount = 'mount -t tmpfs -o size=3m council "$0" && exec "$@"';
  const line = ['--map-root-user', '--mount', 'sh', '-c', mount, folder, ...command];
  return spawnSync('unshare', line, { encoding: 'utf8' });
}
