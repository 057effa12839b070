import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';

/** The certificate in a file as base64, or undefined when there is none in it. */
export function certificateOf(encoded: string): X509Certificate | undefined {
  try {
    return new X509Certificate(Buffer.from(encoded, 'base64'));
  } catch {
    return undefined;
  }
}

/** The private key in a file as base64: PEM, or DER as PKCS #8 or PKCS #1. */
export function keyOf(encoded: string): KeyObject | undefined {
  const key = Buffer.from(encoded, 'base64');
  const forms = [
    { key, format: 'pem' },
    { key, format: 'der', type: 'pkcs8' },
    { key, format: 'der', type: 'pkcs1' },
  ] as const;
  for (const form of forms) {
    try {
      return createPrivateKey(form);
    } catch {
      // It may have the next form.
    }
  }
  return undefined;
}

export function pemOf(key: KeyObject): string {
  return key.export({ format: 'pem', type: 'pkcs8' }).toString();
}
