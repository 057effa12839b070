import { connect as connectTcp, isIP, type Socket } from 'node:net';
import type { ConnectionOptions, TLSSocket } from 'node:tls';
import type { LdapSettings } from '@tagway/schemas';
import { isFault } from '@tagway/sdk';
import {
  AndFilter,
  Client,
  type Entry,
  EqualityFilter,
  InvalidCredentialsError,
  NoSuchObjectError,
  OrFilter,
  PresenceFilter,
  ResultCodeError,
} from 'ldapts';
import type { Directory, DirectoryUser } from '../core/ports/sign-in.ts';
import { sentence } from '../core/system/sentence.ts';
import { invalid, late, unreachable } from './refusals.ts';

/** Milliseconds for all that one login asks. */
const deadline = 10_000;
/** Bytes that a directory may answer to one login. */
const mostBytes = 2 << 20;
/** Groups of a user that are looked at. */
const mostGroups = 1000;

const directory = sentence`The directory`;

/** Asks a directory by LDAP over TLS. Referrals and other servers are not followed. */
export class LdapDirectory implements Directory {
  readonly #settings: LdapSettings;

  constructor(settings: LdapSettings) {
    this.#settings = settings;
  }

  login(name: string, password: string): Promise<DirectoryUser | undefined> {
    return this.#within(async (client) => {
      const { user_dn = '', bind_dn = '', bind_password = '' } = this.#settings;
      if (user_dn !== '') {
        const bound = user_dn.replaceAll('{name}', () => (user_dn.includes('=') ? escapedInDn(name) : name));
        if (!(await isTaken(client, bound, password))) return undefined;
        const entry = user_dn.includes('=')
          ? ((await this.#entryAt(client, bound)) ?? { dn: bound })
          : await this.#entryOf(client, name);
        return entry && this.#user(client, entry, name);
      }
      if (bind_dn !== '') await client.bind(bind_dn, bind_password);
      const entry = await this.#entryOf(client, name);
      if (entry === undefined) return undefined;
      // Before the bind as the user, who may not be allowed to see groups.
      const user = await this.#user(client, entry, name);
      return (await isTaken(client, entry.dn, password)) ? user : undefined;
    });
  }

  async check(): Promise<void> {
    await this.#within(async (client) => {
      const { bind_dn = '', bind_password = '', base = '', user_dn = '' } = this.#settings;
      if (bind_dn !== '') await client.bind(bind_dn, bind_password);
      if (user_dn === '')
        await client.search(base, {
          scope: 'base',
          filter: new PresenceFilter({ attribute: 'objectClass' }),
          attributes: ['1.1'],
        });
    });
  }

  get #nameAttribute(): string {
    const { user_attribute = '' } = this.#settings;
    return user_attribute === '' ? 'uid' : user_attribute;
  }

  /** The one entry below the base that has this name. The value is sent as it is, and never as a part of a filter's text. */
  async #entryOf(client: Client, name: string): Promise<Entry | undefined> {
    const filter = new EqualityFilter({ attribute: this.#nameAttribute, value: name });
    const { base = '' } = this.#settings;
    const attributes = [this.#nameAttribute, 'memberOf'];
    const { searchEntries } = await client.search(base, { scope: 'sub', filter, attributes, sizeLimit: 2 });
    if (searchEntries.length > 1)
      throw invalid(
        sentence`The directory has more than one user of this name below the base of the search. Set a narrower base, or another attribute.`,
      );
    return searchEntries[0];
  }

  async #entryAt(client: Client, dn: string): Promise<Entry | undefined> {
    const filter = new PresenceFilter({ attribute: 'objectClass' });
    const attributes = [this.#nameAttribute, 'memberOf'];
    const { searchEntries } = await client.search(dn, { scope: 'base', filter, attributes, sizeLimit: 1 });
    return searchEntries[0];
  }

  async #user(client: Client, entry: Entry, given: string): Promise<DirectoryUser> {
    const [name = given] = textsOf(entry, this.#nameAttribute);
    const { group_base = '' } = this.#settings;
    if (group_base === '') return { name, groups: textsOf(entry, 'memberOf').slice(0, mostGroups) };
    const filter = new AndFilter({
      filters: [
        new PresenceFilter({ attribute: 'objectClass' }),
        new OrFilter({
          filters: [
            new EqualityFilter({ attribute: 'member', value: entry.dn }),
            new EqualityFilter({ attribute: 'uniqueMember', value: entry.dn }),
            new EqualityFilter({ attribute: 'memberUid', value: name }),
          ],
        }),
      ],
    });
    const { searchEntries } = await client.search(group_base, {
      scope: 'sub',
      filter,
      attributes: ['1.1'],
      sizeLimit: mostGroups,
    });
    return { name, groups: searchEntries.map(({ dn }) => dn) };
  }

  /** A connection that `work` has for itself. It is encrypted before anything is sent on it, and it is never made a second time. */
  async #within<T>(work: (client: Client) => Promise<T>): Promise<T> {
    const { connect: connectTls } = process.getBuiltinModule('node:tls');
    const { url, ca = '' } = this.#settings;
    const { hostname, protocol } = new URL(url);
    const host = hostname.replace(/^\[(.*)\]$/, '$1');
    const tls = {
      host,
      // The environment may say otherwise, and does not count.
      rejectUnauthorized: true,
      minVersion: 'TLSv1.2' as const,
      ...(isIP(host) === 0 && { servername: host }),
      // What is given may be the certificate of the server itself, which no authority need have signed.
      ...(ca !== '' && { ca, allowPartialTrustChain: true }),
    };
    const sockets: (Socket | TLSSocket)[] = [];
    const watched = <S extends Socket>(socket: S): S => {
      sockets.push(socket);
      socket.on('data', () => {
        if (socket.bytesRead > mostBytes) fail(tooMuch());
      });
      return socket;
    };
    const { promise: failed, reject: fail } = Promise.withResolvers<never>();
    const timer = setTimeout(() => fail(late(directory, deadline / 1000)), deadline);
    const isSecure = protocol === 'ldaps:';
    const client = new Client({
      url,
      ...(isSecure && { tlsOptions: tls }),
      createConnection: ((port: number, to: string) => {
        // The client would connect anew by itself, and go on without TLS.
        if (sockets.length > 0) throw new Error('The connection has ended.');
        return watched(connectTcp(port, to));
      }) as typeof connectTcp,
      createSecureConnection: (...args: unknown[]) => {
        if (sockets.length > (isSecure ? 0 : 1)) throw new Error('The connection has ended.');
        return isSecure
          ? watched(connectTls(args[0] as number, args[1] as string, tls))
          : watched(connectTls(args[0] as ConnectionOptions));
      },
    });
    const asked = async (): Promise<T> => {
      if (!isSecure) await client.startTLS(tls);
      return work(client);
    };
    try {
      return await Promise.race([asked(), failed]);
    } catch (error) {
      throw faultOf(error);
    } finally {
      clearTimeout(timer);
      for (const socket of sockets) socket.destroy();
    }
  }
}

/** Whether the directory takes the password of an entry. It is not empty. */
async function isTaken(client: Client, dn: string, password: string): Promise<boolean> {
  try {
    await client.bind(dn, password);
    return true;
  } catch (error) {
    // Active Directory says so also where an account is locked. A name that makes no entry's name is nobody's.
    if (error instanceof InvalidCredentialsError || error instanceof NoSuchObjectError) return false;
    throw error;
  }
}

/** By RFC 4514: a text that ends up as the value of one attribute, whatever is in it. */
function escapedInDn(value: string): string {
  const bytes = (text: string): string =>
    Array.from(Buffer.from(text), (byte) => `\\${byte.toString(16).padStart(2, '0')}`).join('');
  return value.replaceAll(/^[ #]| $|["+,;<=>\\\0/]/g, bytes);
}

function textsOf(entry: Entry, attribute: string): string[] {
  const name = Object.keys(entry).find((one) => one.toLowerCase() === attribute.toLowerCase());
  const value = name === undefined ? [] : entry[name];
  return [value].flat().flatMap((one) => (typeof one === 'string' ? one : []));
}

function tooMuch(): Error {
  return invalid(sentence`The directory sends more than ${mostBytes} bytes, which is more than is taken.`);
}

function faultOf(error: unknown): unknown {
  if (isFault(error)) return error;
  if (error instanceof InvalidCredentialsError)
    return invalid(
      sentence`The directory does not take "bind_dn" with its password, as which users are looked for.`,
    );
  if (error instanceof ResultCodeError)
    return invalid(
      sentence`The directory refuses what is asked, with the code ${error.code} of LDAP. Are the base of the search and StartTLS right?`,
      error,
    );
  return unreachable(directory, error);
}
