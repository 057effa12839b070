import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { Attribute, DataType, ErrorCode, type ListeningPlace, type Point } from '@tagway/sdk';
import { pointsWith, ReportRecorder, until } from '@tagway/testkit';
import { int, oid, ScriptedAgent } from './agent.ts';
import { fixtureAt, type Fixture } from './fixture.ts';
import type { Settings } from '../src/settings.ts';
import { encoded, Tag } from '../src/wire/ber.ts';
import { bound, communityMessage, pdu, PduType } from '../src/wire/pdu.ts';
import { authPassword, freeUdpPort, hasSnmpd, privPassword, snmp, snmpLater, users } from './snmpd.ts';

const points = pointsWith(DataType.STRING, Attribute.READ | Attribute.SUBSCRIBE)(
  ['trap:linkDown', DataType.UINT32],
  ['trap:linkDown/ifIndex', DataType.INT32],
  ['trap:1.3.6.1.4.1.99999.0.5/1.3.6.1.4.1.99999.1', DataType.STRING],
  'trap:*',
  ['1.3.6.1.4.1.99999.2.0', DataType.INT32],
);

/** The objects of a notification that a link went down. */
const trapObjects = Buffer.concat([
  bound(oid('1.3.6.1.2.1.1.3.0'), encoded(Tag.TIME_TICKS, Buffer.of(1))),
  bound(oid('1.3.6.1.6.3.1.1.4.1.0'), encoded(Tag.OID, oid('1.3.6.1.6.3.1.1.5.3'))),
]);

const skipped = hasSnmpd ? '' : ' (skipped: snmpd and snmp are not installed)';

(hasSnmpd ? describe : describe.skip)(`notifications${skipped}`, function () {
  this.timeout(60_000);
  let agent: ScriptedAgent;
  let port: number;
  let folder: string;

  beforeEach(async () => {
    agent = await new ScriptedAgent().set('1.3.6.1.4.1.99999.2.0', int(1)).listen();
    port = await freeUdpPort();
    folder = mkdtempSync(join(tmpdir(), 'snmp-traps-'));
  });
  afterEach(async () => {
    await agent[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  const fixture = (changes: Partial<Settings> = {}): Promise<Fixture> =>
    fixtureAt(agent.port, { trap_port: port, ...changes }, folder);
  const watched = (one: Fixture, of: readonly Point[] = points): ReportRecorder => {
    const report = new ReportRecorder(of.length);
    one.driver.watch?.(of, report);
    return report;
  };
  const place = (isEncrypted: boolean): ListeningPlace => ({
    host: '0.0.0.0',
    port,
    protocol: 'SNMP notifications',
    isEncrypted,
    isRestricted: true,
    mayWrite: false,
  });
  const linkDown = ['1.3.6.1.6.3.1.1.5.3', '1.3.6.1.2.1.2.2.1.1.7', 'i', '7'];

  it('of the versions 1 and 2c are pushed, each of them', async () => {
    await using one = await fixture();
    expect(one.record.places).to.deep.equal([place(false)]);
    const report = watched(one);
    const send = (...args: string[]): void => void expect(snmp('snmptrap', ...args).out).to.equal('');
    send('-v2c', '-cpublic', `127.0.0.1:${port}`, '5', ...linkDown);
    await until('it has come', () => report.latest[0] === 1);
    expect(report.of(1)).to.include(7);
    send('-v2c', '-cpublic', `127.0.0.1:${port}`, '6', ...linkDown);
    await until('it has come again', () => report.latest[0] === 2);
    send(
      '-v1',
      '-cpublic',
      `127.0.0.1:${port}`,
      '1.3.6.1.4.1.99999',
      '127.0.0.1',
      '6',
      '5',
      '9',
      '1.3.6.1.4.1.99999.1.0',
      's',
      'door open',
      '1.3.6.1.4.1.99999.2.0',
      'i',
      '17',
    );
    await until('the one of version 1 has come', () => report.latest[2] === 'door open');
    expect(report.latest[4], 'an object that is polled too').to.equal(17);
    expect(JSON.parse(String(report.latest[3]))).to.deep.equal({
      notification: '1.3.6.1.4.1.99999.0.5',
      objects: { '1.3.6.1.4.1.99999.1.0': 'door open', '1.3.6.1.4.1.99999.2.0': '17' },
    });
    send(
      '-v1',
      '-cpublic',
      `127.0.0.1:${port}`,
      '1.3.6.1.4.1.99999',
      '127.0.0.1',
      '2',
      '0',
      '9',
      '1.3.6.1.2.1.2.2.1.1.8',
      'i',
      '8',
    );
    await until('the usual one of version 1 has come', () => report.latest[0] === 3);
    expect(report.latest[1]).to.equal(8);
    expect(await one.readings(points.slice(0, 2), 'demand')).to.deep.equal([3, 8]);
  });

  it('with another community are dropped, which is said once', async () => {
    await using one = await fixture({ trap_community: 'traps' });
    const report = watched(one);
    for (let round = 0; round < 3; round++)
      snmp('snmptrap', '-v2c', '-cpublic', `127.0.0.1:${port}`, '5', ...linkDown);
    snmp('snmptrap', '-v2c', '-ctraps', `127.0.0.1:${port}`, '5', ...linkDown);
    await until('the right one has come', () => report.latest[0] === 1);
    const said = one.record.notices.filter((line) => line.includes('trap_community'));
    expect(said).to.have.length(1);
  });

  it('that want an answer get it, in version 2c', async () => {
    await using one = await fixture();
    const report = watched(one);
    expect(
      await snmpLater('snmpinform', '-v2c', '-cpublic', '-t1', '-r1', `127.0.0.1:${port}`, '5', ...linkDown),
    ).to.deep.equal({
      status: 0,
      out: '',
    });
    expect(report.latest[0]).to.equal(1);
  });

  for (const { user, auth_protocol, priv_protocol, line } of users) {
    it(`of version 3 come with ${line === '' ? 'no security' : line}, as traps and as informs`, async () => {
      const passwords = { auth_password: authPassword, priv_password: privPassword };
      await using one = await fixture({
        version: 2,
        user,
        auth_protocol,
        priv_protocol,
        ...passwords,
        timeout: 150,
        retries: 0,
      });
      const [auth, priv] = line.split(' ');
      const level = auth === '' ? 'noAuthNoPriv' : priv === undefined ? 'authNoPriv' : 'authPriv';
      expect(one.record.places).to.deep.equal([place(level === 'authPriv')]);
      const args = ['-v3', '-u', user, '-l', level];
      if (auth !== undefined && auth !== '') args.push('-a', auth, '-A', authPassword);
      if (priv !== undefined) args.push('-x', priv, '-X', privPassword);
      const count = (): number => one.record.counts.get('recv_msgs') ?? 0;
      expect(
        snmp('snmptrap', ...args, '-e', '0x8000000001020304', `127.0.0.1:${port}`, '5', ...linkDown).out,
      ).to.equal('');
      await until('the trap has come', () => count() === 1);
      expect(
        await snmpLater('snmpinform', ...args, '-t2', '-r1', `127.0.0.1:${port}`, '5', ...linkDown),
      ).to.deep.equal({
        status: 0,
        out: '',
      });
      expect(count()).to.equal(2);
      // It has the boots of another run, and is told the right ones.
      const engine = `0x8000000005${readFileSync(join(folder, 'engine-id'), 'utf8')}`;
      const late = await snmpLater(
        'snmpinform',
        ...args,
        '-t2',
        '-r1',
        '-e',
        engine,
        '-Z',
        '9,99',
        `127.0.0.1:${port}`,
        '5',
        ...linkDown,
      );
      expect(late).to.deep.equal({ status: 0, out: '' });
      expect(count()).to.equal(3);
      if (auth === '') return;
      const [other] = users;
      snmp(
        'snmptrap',
        '-v3',
        '-u',
        user,
        '-l',
        'noAuthNoPriv',
        '-e',
        '0x8000000001020304',
        `127.0.0.1:${port}`,
        '5',
        ...linkDown,
      );
      const wrong = args.map((part) => (part === authPassword ? 'another password' : part));
      snmp('snmptrap', ...wrong, '-e', '0x8000000001020304', `127.0.0.1:${port}`, '5', ...linkDown);
      snmp(
        'snmptrap',
        '-v3',
        '-u',
        other.user,
        '-l',
        'noAuthNoPriv',
        '-e',
        '0x8000000001020304',
        `127.0.0.1:${port}`,
        '5',
        ...linkDown,
      );
      snmp('snmptrap', '-v2c', '-cpublic', `127.0.0.1:${port}`, '5', ...linkDown);
      await until('all were dropped', () => (one.record.counts.get('foreign_frames') ?? 0) >= 4);
      expect(count()).to.equal(3);
    });
  }

  it('that want an answer get none while there is more than can be passed on, and count once', async () => {
    await using one = await fixture();
    const report = watched(one);
    report.hasRoom = false;
    const inform = ['-v2c', '-cpublic', `127.0.0.1:${port}`, '5', ...linkDown];
    expect((await snmpLater('snmpinform', '-t0.3', '-r0', ...inform)).out).to.include('Timeout');
    const sent = snmpLater('snmpinform', '-t0.3', '-r5', ...inform);
    await until('it was sent once without an answer', () => report.sends >= 3);
    report.hasRoom = true;
    expect((await sent).status).to.equal(0);
    // It was sent again after its answer, as when that is lost.
    const again = report.sends;
    agent.send(
      communityMessage(1, Buffer.from('public'), pdu(PduType.INFORM, { id: 99, varbinds: trapObjects })),
      port,
    );
    agent.send(
      communityMessage(1, Buffer.from('public'), pdu(PduType.INFORM, { id: 99, varbinds: trapObjects })),
      port,
    );
    await until('both have come', () => (one.record.counts.get('recv_msgs') ?? 0) >= 5);
    expect(report.sends).to.equal(again + 1);
  });

  it('are heard at one port by several nodes, until the last one stops', async () => {
    await using first = await fixture();
    const reports: ReportRecorder[] = [watched(first)];
    {
      await using second = await fixture();
      reports.push(watched(second));
      snmp('snmptrap', '-v2c', '-cpublic', `127.0.0.1:${port}`, '5', ...linkDown);
      await until('both have it', () => reports.every(({ latest }) => latest[0] === 1));
    }
    snmp('snmptrap', '-v2c', '-cpublic', `127.0.0.1:${port}`, '5', ...linkDown);
    await until('the first has another', () => reports[0]?.latest[0] === 2);
  });

  it('say which port another program has', async () => {
    const other = createSocket('udp4').bind(port, '0.0.0.0');
    await once(other, 'listening');
    try {
      await fixture().then(
        (started) => started[Symbol.asyncDispose]().then(() => expect.fail('It has started.')),
        (fault: unknown) =>
          expect((fault as Error).message)
            .to.include('another program has it')
            .and.to.include('trap_port'),
      );
    } finally {
      other.close();
    }
  });

  it('cannot be read as tags by a node without a port for them', async () => {
    await using one = await fixture({ trap_port: 0 });
    expect(one.record.places).to.deep.equal([]);
    expect(one.driver.watch).to.equal(undefined);
    expect(await one.readings(points.slice(0, 1))).to.deep.equal([{ fault: ErrorCode.READ_FAILED }]);
  });
});
