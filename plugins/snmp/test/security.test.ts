import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { ErrorCode, LinkState } from '@tagway/sdk';
import { until } from '@tagway/testkit';
import { fixtureAt, pointsOf, type Fixture } from './fixture.ts';
import { authPassword, hasSnmpd, privPassword, Snmpd, users } from './snmpd.ts';
import { Cursor, encoded, integer, octets, Tag } from '../src/wire/ber.ts';
import { bound, openMessage, pdu, PduType } from '../src/wire/pdu.ts';
import { SecuredHead, securedMessage, usmStats } from '../src/wire/secured.ts';
import { oid } from './agent.ts';

const secured = {
  ...users[3],
  version: 2,
  auth_password: authPassword,
  priv_password: privPassword,
  timeout: 200,
  retries: 0,
};
const point = pointsOf('sysServices');
const skipped = hasSnmpd ? '' : ' (skipped: snmpd and snmp are not installed)';

/** Stands between a driver and an agent, and may change what the agent says. */
class Relay implements AsyncDisposable {
  readonly #agent: number;
  readonly #near = createSocket('udp4');
  readonly #far: Socket = createSocket('udp4');
  #client: RemoteInfo | undefined;
  change: (answer: Buffer) => readonly Buffer[] = (answer) => [answer];

  constructor(agent: number) {
    this.#agent = agent;
  }

  get port(): number {
    return this.#near.address().port;
  }

  async listen(): Promise<this> {
    this.#near.on('message', (data, from) => {
      this.#client = from;
      this.#far.send(data, this.#agent, '127.0.0.1');
    });
    this.#far.on('message', (data) => {
      for (const piece of this.change(data)) this.#near.send(piece, this.#client!.port, '127.0.0.1');
    });
    for (const socket of [this.#near, this.#far]) {
      socket.bind(0, '127.0.0.1');
      await once(socket, 'listening');
    }
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of [this.#near, this.#far]) await new Promise<void>((resolve) => socket.close(resolve));
  }
}

/** An answer in the name of the agent, without a signature. */
function forged(answer: Buffer): Buffer {
  const head = new SecuredHead();
  const cursor = new Cursor().begin(answer);
  openMessage(cursor);
  head.read(answer, cursor);
  const varbinds = bound(oid('1.3.6.1.2.1.1.7.0'), integer(13));
  const body = pdu(PduType.RESPONSE, { id: head.msgId, varbinds });
  const engine = { id: head.id, boots: head.boots, time: head.time };
  const message = securedMessage({
    id: head.msgId,
    flags: 0,
    engine,
    contextEngine: head.id,
    context: Buffer.alloc(0),
    pdu: body,
  });
  // The name of the user is in clear in every message.
  const user = octets(head.user);
  const at = message.indexOf(Buffer.of(Tag.OCTETS, 0, Tag.OCTETS, 0, Tag.OCTETS, 0));
  const security = Buffer.concat([message.subarray(0, at), user, message.subarray(at + 2)]);
  return lengthened(security, user.length - 2);
}

/** The message with the lengths around its security parameters made right, which are all shorter than 128 bytes but the first. */
function lengthened(message: Buffer, more: number): Buffer {
  const cursor = new Cursor().begin(message);
  const changed = Buffer.from(message);
  const outer = message[1]!;
  expect(outer).to.be.lessThan(0x80 - more);
  changed[1] = outer + more;
  cursor.begin(changed);
  openMessage(cursor);
  cursor.next();
  const at = cursor.at;
  changed[at + 1] = changed[at + 1]! + more;
  changed[at + 3] = changed[at + 3]! + more;
  return changed;
}

(hasSnmpd ? describe : describe.skip)(`security of version 3${skipped}`, function () {
  this.timeout(60_000);
  let daemon: Snmpd;
  let relay: Relay;

  before(async () => {
    daemon = await Snmpd.start();
    relay = await new Relay(daemon.port).listen();
  });
  after(async () => {
    await relay[Symbol.asyncDispose]();
    await daemon[Symbol.asyncDispose]();
  });
  afterEach(() => {
    relay.change = (answer) => [answer];
  });

  const connected = async (): Promise<Fixture> => {
    const fixture = await fixtureAt(relay.port, secured);
    expect(await fixture.readings(point)).to.deep.equal([72]);
    return fixture;
  };

  it('an answer without a signature is not taken, and the one with it is', async () => {
    await using fixture = await connected();
    const before = fixture.record.counts.get('foreign_frames') ?? 0;
    relay.change = (answer) => [forged(answer), answer];
    expect(await fixture.readings(point)).to.deep.equal([72]);
    expect(fixture.record.counts.get('foreign_frames')).to.equal(before + 1);
    relay.change = (answer) => [forged(answer)];
    expect(await fixture.readings(point)).to.deep.equal([{ fault: ErrorCode.NO_RESPONSE }]);
  });

  it('an answer that was changed on its way is not taken', async () => {
    await using fixture = await connected();
    for (let at = 0; at < 150; at += 7) {
      relay.change = (answer) => {
        const changed = Buffer.from(answer);
        changed[at % changed.length] = (changed[at % changed.length] ?? 0) ^ 0x15;
        return [changed, answer];
      };
      expect(await fixture.readings(point)).to.deep.equal([72]);
    }
  });

  it('an answer of before is not taken again', async () => {
    await using fixture = await connected();
    let old: Buffer | undefined;
    relay.change = (answer) => {
      old = Buffer.from(answer);
      return [answer];
    };
    await fixture.read(point);
    relay.change = (answer) => [old!, answer];
    expect(await fixture.readings(point)).to.deep.equal([72]);
    expect(fixture.record.counts.get('foreign_frames')).to.be.greaterThan(0);
  });

  it('forged reports make nothing but another connection', async () => {
    await using fixture = await connected();
    relay.change = (answer) => {
      const head = new SecuredHead();
      const cursor = new Cursor().begin(answer);
      openMessage(cursor);
      head.read(answer, cursor);
      const varbinds = bound(
        Buffer.concat([usmStats, Buffer.of(4, 0)]),
        encoded(Tag.COUNTER32, Buffer.of(1)),
      );
      const engine = { id: Buffer.from('80000000010203', 'hex'), boots: 7, time: 7 };
      const body = pdu(PduType.REPORT, { id: 0, varbinds });
      return [
        securedMessage({
          id: head.msgId,
          flags: 0,
          engine,
          contextEngine: engine.id,
          context: Buffer.alloc(0),
          pdu: body,
        }),
      ];
    };
    await fixture.read(point);
    await until('the link is given up', () => fixture.link !== LinkState.CONNECTED);
    relay.change = (answer) => [answer];
    fixture.record.shortWaits = true;
    await until('it is there again', async () => (await fixture.readings(point))[0] === 72);
  });

  it('goes on after hours, with the time that the engine has then', async () => {
    await using fixture = await connected();
    // Time goes on at the agent by a second at least: it counts seconds.
    await sleep(1100);
    // The clock of the driver runs away: the agent takes its messages for too new, and says its own time.
    fixture.record.clockOffset += 3_600_000;
    expect(await fixture.readings(point)).to.deep.equal([72]);
    expect(fixture.states.filter((state) => state === LinkState.DISCONNECTED)).to.deep.equal([]);
  });
});
