import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as breath } from 'node:timers/promises';
import { expect } from 'chai';
import { Attribute, DataType, isFault } from '@tagway/sdk';
import { mutate, pointsWith, randomOf, ReportRecorder, until } from '@tagway/testkit';
import { encoded, integer, octets, Tag } from '../src/wire/ber.ts';
import { bound, communityMessage, pdu, PduType } from '../src/wire/pdu.ts';
import { securedMessage } from '../src/wire/secured.ts';
import { User } from '../src/wire/usm.ts';
import { counter64, int, oid, text, type ScriptedAgent } from './agent.ts';
import { fixtureAt, pointsOf, withFixture } from './fixture.ts';
import { authPassword, freeUdpPort, privPassword } from './snmpd.ts';

const rounds = 4000;
const own = '1.3.6.1.4.1.99999';

function furnish(agent: ScriptedAgent): void {
  for (let number = 1; number <= 8; number++) agent.set(`${own}.1.${number}.0`, int(number));
  agent
    .set(`${own}.2.0`, text('x'.repeat(200)))
    .set(`${own}.3.0`, counter64(2n ** 63n))
    .set(`${own}.4.0`, encoded(Tag.OPAQUE, Buffer.from('9f78043f800000', 'hex')))
    .set('1.3.6.1.2.1.2.2.1.2.3', text('eth0'))
    .set('1.3.6.1.2.1.2.2.1.10.3', int(3));
}

const points = pointsOf(
  ...Array.from({ length: 8 }, (_, at) => `${own}.1.${at + 1}.0`),
  [`${own}.2.0`, DataType.STRING],
  [`${own}.3.0`, DataType.UINT64],
  [`${own}.4.0`, DataType.FLOAT],
  'ifInOctets[ifDescr=eth0]',
);

describe('hostile datagrams', function () {
  this.timeout(60_000);

  it('of random bytes at the port of requests harm nothing', async () => {
    await withFixture(
      async (fixture, agent) => {
        const random = randomOf(7);
        agent.script = (_request, answer) => {
          const noise = Array.from({ length: 40 }, () => {
            const bytes = Buffer.from(Array.from({ length: random(90) }, () => random(256)));
            if (random(2) === 0 && bytes.length > 2) bytes.set([0x30, bytes.length - 2]);
            return bytes;
          });
          return [...noise, answer];
        };
        for (let sent = 0; sent < rounds; sent += 40)
          expect(await fixture.read(points)).to.have.length(points.length);
        agent.script = undefined;
        expect((await fixture.readings(points)).slice(0, 8)).to.deep.equal([1, 2, 3, 4, 5, 6, 7, 8]);
        expect(fixture.record.counts.get('malformed_frames')).to.be.greaterThan(1000);
      },
      {},
      furnish,
    );
  });

  it('that are answers with a fault give every point one outcome', async () => {
    await withFixture(
      async (fixture, agent) => {
        const random = randomOf(11);
        let changed = 0;
        agent.script = (_request, answer) => {
          changed++;
          return [mutate(answer, random), answer];
        };
        let values = 0;
        while (changed < rounds) {
          for (const reading of await fixture.read(points)) if (!isFault(reading)) values++;
          await breath();
        }
        expect(values).to.be.greaterThan(1000);
        agent.script = undefined;
        fixture.record.clockOffset += 400_000;
        await until('all is read again', async () => !(await fixture.read(points)).some(isFault));
      },
      { timeout: 100, retries: 0 },
      furnish,
    );
  });

  it('from another address are not taken for answers', async () => {
    await withFixture(
      async (fixture, agent) => {
        const stranger = createSocket('udp4').bind(0, '127.0.0.1');
        await once(stranger, 'listening');
        let forged = 0;
        const send = agent.send.bind(agent);
        agent.send = (bytes, port) => {
          const other = Buffer.from(bytes);
          other[other.length - 1] = 9;
          stranger.send(other, port, '127.0.0.1', () => send(bytes, port));
          forged++;
        };
        for (let round = 0; round < 20; round++)
          expect(await fixture.readings(points.slice(0, 1))).to.deep.equal([1]);
        expect(forged).to.equal(20);
        stranger.close();
      },
      {},
      furnish,
    );
  });

  for (const version of [1, 2]) {
    it(`at the port of notifications harm nothing, with version ${version === 1 ? '2c' : '3'}`, async () => {
      const folder = mkdtempSync(join(tmpdir(), 'snmp-fuzz-'));
      const port = await freeUdpPort();
      const settings = {
        user: 'hidden',
        auth_protocol: 4,
        auth_password: authPassword,
        priv_protocol: 2,
        priv_password: privPassword,
      };
      try {
        await withFixture(async (_none, agent) => {
          const changes = { ...settings, version, trap_port: port, timeout: 150, retries: 0 };
          await using fixture = await fixtureAt(agent.port, changes, folder);
          const watched = pointsWith(DataType.STRING, Attribute.READ | Attribute.SUBSCRIBE)('trap:*', [
            'trap:*',
            DataType.UINT32,
          ]);
          fixture.driver.watch?.(watched, new ReportRecorder(2));
          const objects = [
            bound(oid('1.3.6.1.2.1.1.3.0'), integer(5, Tag.TIME_TICKS)),
            bound(oid('1.3.6.1.6.3.1.1.4.1.0'), encoded(Tag.OID, oid('1.3.6.1.6.3.1.1.5.3'))),
            bound(oid('1.3.6.1.2.1.2.2.1.1.7'), int(7)),
          ];
          const trap = (number: number): Buffer =>
            pdu(PduType.TRAP, { id: number, varbinds: Buffer.concat(objects) });
          const engine = { id: Buffer.from('8000000001020304', 'hex'), boots: 1, time: 1 };
          const sound = [
            communityMessage(1, Buffer.from('public'), trap(1)),
            communityMessage(
              0,
              Buffer.from('public'),
              encoded(
                PduType.TRAP_V1,
                encoded(Tag.OID, oid(own)),
                encoded(Tag.IP_ADDRESS, Buffer.of(127, 0, 0, 1)),
                int(6),
                int(5),
                integer(5, Tag.TIME_TICKS),
                encoded(Tag.SEQUENCE, objects[2]!),
              ),
            ),
            securedMessage({
              id: 1,
              flags: 3,
              engine,
              user: new User(settings),
              contextEngine: engine.id,
              context: Buffer.alloc(0),
              pdu: trap(2),
            }),
            encoded(Tag.SEQUENCE, int(3), octets(Buffer.alloc(9))),
          ];
          const random = randomOf(13);
          for (let sent = 0; sent < rounds; sent++) {
            const one = sound[random(sound.length)]!;
            const bytes =
              random(10) === 0
                ? Buffer.from(Array.from({ length: random(60) }, () => random(256)))
                : mutate(one, random);
            agent.send(bytes, port);
            if (sent % 20 === 0) await breath();
          }
          const before = fixture.record.counts.get('recv_msgs') ?? 0;
          const counts = (): number =>
            (fixture.record.counts.get('foreign_frames') ?? 0) +
            (fixture.record.counts.get('malformed_frames') ?? 0);
          await until('they were looked at', () => counts() > rounds / 4);
          await until('a sound one is taken', () => {
            agent.send(sound[version === 1 ? 0 : 2]!, port);
            return (fixture.record.counts.get('recv_msgs') ?? 0) > before;
          });
          expect(fixture.record.notices.length, 'what is dropped is said a few times').to.be.lessThan(12);
        });
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    });
  }
});
