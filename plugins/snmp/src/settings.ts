import { ErrorCode, Fault } from '@tagway/sdk';
import { Version } from './wire/pdu.ts';
import { Privacy } from './wire/usm.ts';

/** Settings of an SNMP node: see settings.schema.json. */
export interface Settings {
  readonly host: string;
  readonly port: number;
  /** 0: 1, 1: 2c, 2: 3. */
  readonly version: number;
  readonly community: string;
  /** For writes; empty: the community. */
  readonly write_community: string;
  readonly user: string;
  /** 0: none, 1: MD5, 2: SHA-1, 3: SHA-224, 4: SHA-256, 5: SHA-384, 6: SHA-512. */
  readonly auth_protocol: number;
  readonly auth_password: string;
  /** See `Privacy`. */
  readonly priv_protocol: number;
  readonly priv_password: string;
  readonly context: string;
  /** Milliseconds. */
  readonly timeout: number;
  readonly retries: number;
  readonly max_in_flight: number;
  /** Most objects of one request. */
  readonly max_objects: number;
  /** Most bytes of one message. */
  readonly max_size: number;
  /** The local port for notifications; 0: none. */
  readonly trap_port: number;
  readonly trap_host: string;
  /** Of notifications; empty: the community. */
  readonly trap_community: string;
}

/** The version of a node as messages have it. */
export function versionOf({ version }: Pick<Settings, 'version'>): number {
  return version === 2 ? Version.V3 : version;
}

/** Shortest password (RFC 3414, section 11.2). */
const shortest = 8;

export function checkSettings(settings: Readonly<Settings>): Fault | undefined {
  const sentence = settings.version === 2 ? problemOfUser(settings) : undefined;
  return sentence === undefined ? undefined : new Fault(ErrorCode.NODE_SETTING_INVALID, sentence);
}

function problemOfUser(settings: Readonly<Settings>): string | undefined {
  const { user, auth_protocol: auth, auth_password: password } = settings;
  const { priv_protocol: priv, priv_password: secret } = settings;
  if (user === '')
    return 'SNMP version 3 knows users in place of communities: the setting user must hold the name of one.';
  if (auth === 0 && priv !== Privacy.NONE)
    return 'SNMP version 3 encrypts only what is authenticated too: choose the setting auth_protocol, or set priv_protocol to none.';
  if (auth !== 0 && Buffer.byteLength(password) < shortest)
    return `The setting auth_password must have at least ${shortest} characters, as SNMP version 3 demands.`;
  if (priv !== Privacy.NONE && Buffer.byteLength(secret) < shortest)
    return `The setting priv_password must have at least ${shortest} characters, as SNMP version 3 demands.`;
  return undefined;
}
