/** TLS on the way to a server: what goes wrong with it, in words that an operator can act on. */

import { isIP } from 'node:net';

const notSigned =
  'shows a certificate from an unknown authority. If it is one of your own, start Council with NODE_EXTRA_CA_CERTS=FILE, where FILE holds the authority’s certificate as PEM. Set it in the environment of the process: in the file .env it is read too late.';
const wantsCertificate =
  'wants to see a certificate of its clients, and Council has none. Set tls-auth-clients no there; who Council is, user and password tell.';

/** What Node and OpenSSL say, by code. What passes by itself is not among it. */
const troubles: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: notSigned,
  SELF_SIGNED_CERT_IN_CHAIN: notSigned,
  UNABLE_TO_GET_ISSUER_CERT: notSigned,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: notSigned,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: notSigned,
  CERT_SIGNATURE_FAILURE: notSigned,
  CERT_HAS_EXPIRED:
    'shows a certificate that has expired, or whose signer’s has. Renew it there, and see that the clock here is right.',
  CERT_NOT_YET_VALID:
    'shows a certificate that is not valid yet. See that the clocks here and there are right.',
  ERR_TLS_CERT_ALTNAME_INVALID:
    'shows a certificate for another name than it is reached by. Write a name in the address that is in the certificate, or have one made for this name; sentinels and clusters have to tell such a name as well.',
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: wantsCertificate,
  // With TLS 1.2.
  ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE: wantsCertificate,
};

/**
 * Why a server can't be spoken to by TLS, as the end of a sentence that begins with who it is;
 * `undefined` when the trouble is another one, or passes by itself.
 */
export function encryptionTrouble(error: unknown): string | undefined {
  if (!(error instanceof Error && 'code' in error)) return undefined;
  const text = troubles[String(error.code)];
  if (text === undefined || !('reason' in error && 'host' in error)) return text;
  // Names alone: the one it was reached by, and those of the certificate.
  return `${text} (${error.reason})`;
}

/** Says by which name a server is reached, for one that has several certificates; an IP address is none. */
export function nameToShow(host: string): { readonly servername?: string } {
  // An address of IPv6 has brackets within an address of a server.
  return isIP(host.replace(/^\[|\]$/g, '')) === 0 ? { servername: host } : {};
}

/** For a client of the one server that an address names. */
export function encryptedSocket(url: string): {
  readonly tls?: true;
  readonly servername?: string;
} {
  const { protocol, hostname = '' } = URL.parse(url) ?? {};
  return protocol === 'rediss:' ? { tls: true, ...nameToShow(hostname) } : {};
}
