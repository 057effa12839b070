import { ErrorCode, Fault } from '@tagway/sdk';
import { tcpClient, type Endpoint, type TlsOptions, type Transport } from '@tagway/sdk/link';
import type { Settings } from './settings.ts';

/** The way to the station of these settings, and to its backup. */
export function transportOf(settings: Settings): Transport {
  const { host, port, backup_host = '', backup_port, t0, tls } = settings;
  const places: Endpoint[] = [{ host, port }];
  if (backup_host !== '') places.push({ host: backup_host, port: backup_port === 0 ? port : backup_port });
  return tcpClient(places, { timeout: t0 * 1000, ...(tls && { tls: tlsOf(settings) }) });
}

/** Why certificates and key cannot work together; undefined when they can. */
export function checkTls(settings: Settings): Fault | undefined {
  if (!settings.tls) return undefined;
  const { tls_ca = '', tls_cert = '', tls_key = '' } = settings;
  if ((tls_cert === '') !== (tls_key === ''))
    return refused('tls_cert and tls_key belong together: give both or none');
  const { createSecureContext } = process.getBuiltinModule('node:tls');
  for (const [name, file] of Object.entries({ tls_ca, tls_cert })) {
    try {
      // As an authority, what is no certificate would be left out without a word.
      if (file !== '') createSecureContext({ cert: fileOf(file) });
    } catch {
      return refused(
        `${name} is no certificate; it must be a PEM file with "-----BEGIN CERTIFICATE-----" in it, as base64`,
      );
    }
  }
  try {
    createSecureContext(tlsOf(settings));
    return undefined;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return refused(`tls_ca, tls_cert, tls_key and tls_keypass cannot be used: ${reason}`);
  }
}

function tlsOf({ tls_ca, tls_cert, tls_key, tls_keypass, tls_name }: Settings): TlsOptions {
  return {
    ...(tls_ca && { ca: fileOf(tls_ca) }),
    ...(tls_cert && { cert: fileOf(tls_cert) }),
    ...(tls_key && { key: fileOf(tls_key) }),
    ...(tls_keypass && { passphrase: tls_keypass }),
    ...(tls_name && { servername: tls_name }),
  };
}

function fileOf(base64: string): Buffer {
  return Buffer.from(base64, 'base64');
}

function refused(reason: string): Fault {
  return new Fault(ErrorCode.NODE_SETTING_INVALID, `The settings of TLS do not fit: ${reason}.`);
}
