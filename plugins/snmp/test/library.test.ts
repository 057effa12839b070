import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { Attribute, DataType } from '@tagway/sdk';
import { pointsWith, ReportRecorder, until } from '@tagway/testkit';
import library from 'net-snmp';
import { ScriptedAgent } from './agent.ts';
import { fixtureAt, pointsOf } from './fixture.ts';
import { authPassword, freeUdpPort, privPassword } from './snmpd.ts';

/** Protocols of version 3 by the numbers of the settings. DES is not among them: net-snmp has none with OpenSSL 3. */
const users = [
  { user: 'md5aes', auth_protocol: 1, priv_protocol: 2 },
  { user: 'sha1aes256', auth_protocol: 2, priv_protocol: 3 },
  { user: 'sha1cisco', auth_protocol: 2, priv_protocol: 4 },
  { user: 'sha256cisco', auth_protocol: 4, priv_protocol: 4 },
  { user: 'sha512aes256', auth_protocol: 6, priv_protocol: 3 },
] as const;
const auth = ['none', 'none', 'md5', 'sha', 'sha224', 'sha256', 'sha384', 'sha512'];
const priv = ['none', 'none', 'des', 'aes', 'aes256b', 'aes256r'];
const passwords = { auth_password: authPassword, priv_password: privPassword };

interface LibraryUser {
  readonly name: string;
  readonly level: number;
  readonly authProtocol: number | undefined;
  readonly authKey: string;
  readonly privProtocol: number | undefined;
  readonly privKey: string;
}

interface LibraryAgent {
  getAuthorizer(): { addCommunity(name: string): void; addUser(user: LibraryUser): void };
  getMib(): {
    registerProvider(provider: object): void;
    setScalarValue(name: string, value: number | string | Buffer): void;
  };
  close(): void;
}

interface LibrarySession {
  inform(type: number, answered: () => void): void;
  trap(type: number, sent: () => void): void;
  close(): void;
}

/** The part of the library that the tests use. Its published types lack some of it. */
interface Library {
  readonly AuthProtocols: Readonly<Record<string, number>>;
  readonly PrivProtocols: Readonly<Record<string, number>>;
  readonly SecurityLevel: Readonly<Record<string, number>>;
  readonly MibProviderType: { readonly Scalar: number };
  readonly MaxAccess: Readonly<Record<string, number>>;
  readonly ObjectType: Readonly<Record<'Integer' | 'Counter64' | 'OctetString', number>>;
  readonly TrapType: Readonly<Record<'LinkDown' | 'LinkUp', number>>;
  createAgent(options: object, failed: () => void): LibraryAgent;
  createV3Session(host: string, user: LibraryUser, options: object): LibrarySession;
}

const snmp = library as unknown as Library;

function libraryUser({ user, auth_protocol, priv_protocol }: (typeof users)[number]): LibraryUser {
  return {
    name: user,
    level: snmp.SecurityLevel['authPriv'] ?? 0,
    authProtocol: snmp.AuthProtocols[auth[auth_protocol + 1] ?? ''],
    authKey: authPassword,
    privProtocol: snmp.PrivProtocols[priv[priv_protocol + 1] ?? ''],
    privKey: privPassword,
  };
}

describe('net-snmp of npm', function () {
  this.timeout(30_000);
  let port: number;
  let agent: LibraryAgent;

  before(async () => {
    port = await freeUdpPort();
    agent = snmp.createAgent({ port, address: '127.0.0.1', accessControlModelType: 0 }, () => undefined);
    const authorizer = agent.getAuthorizer();
    authorizer.addCommunity('public');
    for (const user of users) authorizer.addUser(libraryUser(user));
    const mib = agent.getMib();
    const scalar = (name: string, oid: string, scalarType: number): void =>
      mib.registerProvider({
        name,
        type: snmp.MibProviderType.Scalar,
        oid,
        scalarType,
        maxAccess: snmp.MaxAccess['read-write'],
      });
    scalar('level', '1.3.6.1.4.1.99999.1', snmp.ObjectType.Integer);
    scalar('total', '1.3.6.1.4.1.99999.2', snmp.ObjectType.Counter64);
    scalar('label', '1.3.6.1.4.1.99999.3', snmp.ObjectType.OctetString);
    mib.setScalarValue('level', 7);
    mib.setScalarValue('total', Buffer.from('ffffffffffffffff', 'hex'));
    mib.setScalarValue('label', 'pump');
  });
  after(() => {
    agent.close();
  });

  const points = pointsOf(
    ['1.3.6.1.4.1.99999.1.0', DataType.INT32],
    ['1.3.6.1.4.1.99999.2.0', DataType.UINT64],
    ['1.3.6.1.4.1.99999.3.0', DataType.STRING],
  );

  it('answers version 2c, also writes', async () => {
    await using fixture = await fixtureAt(port);
    expect(await fixture.readings(points)).to.deep.equal([7, 2n ** 64n - 1n, 'pump']);
    expect(await fixture.written([points[0]!, points[2]!], [-5, 'valve'])).to.deep.equal([
      undefined,
      undefined,
    ]);
    expect(await fixture.readings([points[0]!, points[2]!])).to.deep.equal([-5, 'valve']);
    expect(await fixture.written([points[0]!, points[2]!], [7, 'pump'])).to.deep.equal([
      undefined,
      undefined,
    ]);
  });

  for (const user of users) {
    it(`answers version 3 as ${user.user}, and its notifications are taken`, async () => {
      await using fixture = await fixtureAt(port, { version: 2, ...user, ...passwords, timeout: 2000 });
      expect(await fixture.readings(points), fixture.reason).to.deep.equal([7, 2n ** 64n - 1n, 'pump']);
      const folder = mkdtempSync(join(tmpdir(), 'snmp-library-'));
      const trapPort = await freeUdpPort();
      await using silent = await new ScriptedAgent().listen();
      try {
        const changes = { version: 2, ...user, ...passwords, trap_port: trapPort, timeout: 200, retries: 0 };
        await using hearer = await fixtureAt(silent.port, changes, folder);
        const watched = pointsWith(DataType.STRING, Attribute.READ | Attribute.SUBSCRIBE)('trap:*');
        hearer.driver.watch?.(watched, new ReportRecorder(1));
        const session = snmp.createV3Session('127.0.0.1', libraryUser(user), { trapPort });
        const sent = new Promise<void>((resolve) => session.inform(snmp.TrapType.LinkDown, () => resolve()));
        session.trap(snmp.TrapType.LinkUp, () => undefined);
        await until('both have come', () => hearer.record.counts.get('recv_msgs') === 2);
        await sent;
        session.close();
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    });
  }
});
