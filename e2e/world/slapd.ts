import { execFileSync, spawnSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Child } from '../kit/child.ts';
import { freePort } from '../kit/free-port.ts';
import { certify, hasOpenssl } from './certificates.ts';

/** Debian has daemons where not every path leads. */
const env = { PATH: `${process.env['PATH'] ?? ''}:/usr/sbin` };

export const hasSlapd =
  hasOpenssl &&
  spawnSync('slapd', ['-VV'], { stdio: 'ignore', env: { ...process.env, ...env } }).error === undefined;

export const base = 'dc=plant,dc=example';

interface Person {
  readonly name: string;
  readonly password: string;
}

/** slapd of OpenLDAP on two free ports of 127.0.0.1: with StartTLS, and with TLS from the beginning. */
export class Slapd {
  /** Such as ldap://127.0.0.1:3890. */
  readonly url: string;
  readonly secureUrl: string;
  /** Its certificate, which signs itself. */
  readonly ca: string;
  readonly #folder: string;
  #child: Child | undefined;

  private constructor(folder: string, url: string, secureUrl: string, ca: string) {
    this.#folder = folder;
    this.url = url;
    this.secureUrl = secureUrl;
    this.ca = ca;
  }

  /** `groups`: names of people by the cn of the group. The reader `cn=reader` has the password `reader's`. */
  static async start(
    folder: string,
    people: readonly Person[],
    groups: Readonly<Record<string, readonly string[]>>,
  ): Promise<Slapd> {
    await mkdir(join(folder, 'db'), { recursive: true });
    const cert = join(folder, 'cert.pem');
    const key = join(folder, 'key.pem');
    certify(cert, key, 'directory');
    const config = [
      ...['core', 'cosine', 'inetorgperson'].map((name) => `include /etc/ldap/schema/${name}.schema`),
      'modulepath /usr/lib/ldap',
      'moduleload back_mdb',
      'moduleload memberof',
      `pidfile ${join(folder, 'pid')}`,
      `TLSCertificateFile ${cert}`,
      `TLSCertificateKeyFile ${key}`,
      // Nobody gets anything without encryption: a client that forgets it is refused.
      'security simple_bind=128',
      'database mdb',
      `suffix "${base}"`,
      `rootdn "cn=root,${base}"`,
      'rootpw "of the root"',
      `directory ${join(folder, 'db')}`,
      'overlay memberof',
      'access to attrs=userPassword by anonymous auth by * none',
      `access to * by dn.exact="cn=reader,${base}" read by users read by * none`,
    ];
    await writeFile(join(folder, 'slapd.conf'), `${config.join('\n')}\n`);
    const entry = (dn: string, lines: readonly string[]): string => [`dn: ${dn}`, ...lines, ''].join('\n');
    const dnOf = (name: string): string => `uid=${name.replace(/[,+"\\<>;=]/g, '\\$&')},ou=people,${base}`;
    const ldif = [
      entry(base, ['objectClass: dcObject', 'objectClass: organization', 'o: Plant', 'dc: plant']),
      entry(`cn=reader,${base}`, [
        'objectClass: organizationalRole',
        'objectClass: simpleSecurityObject',
        'cn: reader',
        "userPassword: reader's",
      ]),
      entry(`ou=people,${base}`, ['objectClass: organizationalUnit', 'ou: people']),
      entry(`ou=groups,${base}`, ['objectClass: organizationalUnit', 'ou: groups']),
      ...people.map(({ name, password }) =>
        entry(dnOf(name), [
          'objectClass: inetOrgPerson',
          `uid: ${name}`,
          `cn: ${name}`,
          `sn: ${name}`,
          `userPassword: ${password}`,
        ]),
      ),
      ...Object.entries(groups).map(([cn, members]) =>
        entry(`cn=${cn},ou=groups,${base}`, [
          'objectClass: groupOfNames',
          `cn: ${cn}`,
          ...members.map((name) => `member: ${dnOf(name)}`),
        ]),
      ),
    ];
    await writeFile(join(folder, 'entries.ldif'), ldif.join('\n'));
    const plain = await freePort();
    const secure = await freePort();
    const slapd = new Slapd(
      folder,
      `ldap://127.0.0.1:${plain}`,
      `ldaps://127.0.0.1:${secure}`,
      await readFile(cert, 'utf8'),
    );
    await slapd.resume();
    slapd.#add(join(folder, 'entries.ldif'));
    return slapd;
  }

  /** Starts it again on the same ports. */
  async resume(): Promise<void> {
    const urls = `${this.url}/ ${this.secureUrl}/`;
    const args = ['-f', join(this.#folder, 'slapd.conf'), '-h', urls, '-d', 'stats'];
    this.#child = await Child.start('slapd', args, { ready: /slapd starting/, env });
  }

  async stop(): Promise<void> {
    await this.#child?.stop();
    this.#child = undefined;
  }

  /** The number of its latest connection, by its log. */
  get connections(): number {
    const numbers = this.#child?.output.matchAll(/ conn=(\d+) fd=\d+ ACCEPT /g) ?? [];
    return Math.max(-1, ...Array.from(numbers, ([, number]) => Number(number)));
  }

  #add(file: string): void {
    const args = ['-x', '-ZZ', '-H', this.url, '-D', `cn=root,${base}`, '-w', 'of the root', '-f', file];
    const own = { ...process.env, LDAPTLS_REQCERT: 'never' };
    execFileSync('ldapadd', args, { stdio: ['ignore', 'ignore', 'inherit'], env: own });
  }
}
