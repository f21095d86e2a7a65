/** Certificates for servers of tests, made by the program `openssl` as an operator would make them. */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';

/** What a server shows of itself, as files in PEM. */
export interface Certificate {
  readonly certificateFile: string;
  readonly keyFile: string;
  readonly authorityFile: string;
}

/** Who signs certificates. */
export interface Authority {
  /** Its own certificate, in PEM. */
  readonly file: string;
  /**
   * @param name - e.g. `localhost` or `127.0.0.1`.
   * @param days - How long it is good for; 0: it has expired already.
   */
  issue(name: string, days?: number): Certificate;
  /** Has this process trust what it signs, besides what it trusts already. */
  trust(): void;
  remove(): void;
}

const program = 'openssl';
const goodDays = 2;
/** Its own settings, because those of the system differ. */
const settings = `[req]
distinguished_name = names
x509_extensions = authority
[names]
[authority]
basicConstraints = critical, CA:TRUE
`;

/** Throws an error that says what to install where there is no `openssl` on the path. */
export function assertOpenssl(environment = process.env): void {
  if (spawnSync(program, ['version'], { env: environment }).status === 0) return;
  throw new Error(
    'These tests make certificates and need the program openssl on the path. Install it, e.g. on Debian or Ubuntu: sudo apt-get install -y openssl; on macOS: brew install openssl. Then run them again.',
  );
}

/** Makes one in a folder of its own. */
export function makeAuthority(): Authority {
  assertOpenssl();
  const folder = mkdtempSync(join(tmpdir(), 'council-certificates-'));
  const at = (name: string) => join(folder, name);
  writeFileSync(at('settings'), settings);
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const request = (name: string, ...words: readonly string[]) =>
    run('req', ...words, ...newKey, '-config', at('settings'), '-subj', `/CN=${name}`);
  const own = { file: at('authority.pem'), key: at('authority.key') };
  request('authority', '-x509', '-days', String(goodDays), '-keyout', own.key, '-out', own.file);
  let serial = 0;
  return {
    file: own.file,
    issue: (name, days = goodDays) => {
      serial += 1;
      const made = { certificateFile: at(`${serial}.pem`), keyFile: at(`${serial}.key`) };
      request(name, '-new', '-keyout', made.keyFile, '-out', at('request'));
      writeFileSync(at('names'), `subjectAltName = ${isIP(name) ? 'IP' : 'DNS'}:${name}\n`);
      const signed = ['-CA', own.file, '-CAkey', own.key, '-set_serial', String(serial)];
      const what = ['-req', '-in', at('request'), '-extfile', at('names'), '-days', String(days)];
      run('x509', ...what, ...signed, '-out', made.certificateFile);
      return { ...made, authorityFile: own.file };
    },
    trust: () => setDefaultCACertificates([...getCACertificates(), readFileSync(own.file, 'utf8')]),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function run(...words: readonly string[]): void {
  const { status, stderr } = spawnSync(program, words, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`openssl ${words.join(' ')} failed:\n${stderr}`);
}
