import { expect } from 'chai';
import { DataType, ErrorCode } from '@tagway/sdk';
import { objectBytes, Tag, TagCursor, TagWriter } from '../src/encoding.ts';
import { areas, objectOf, ObjectType, Property, propertyNamed } from '../src/properties.ts';
import {
  BvlcResult,
  confirmed,
  deleteForeignDevice,
  envelope,
  Kind,
  Pdu,
  registerForeignDevice,
  reject,
  resultOf,
  segmentAck,
  Service,
  simpleAck,
  unconfirmed,
  Unconfirmed,
} from '../src/protocol.ts';
import {
  cancelCov,
  openReadProperty,
  readError,
  readIAm,
  readProperty,
  readPropertyMultiple,
  subscribeCov,
  writeProperty,
  writePropertyMultiple,
} from '../src/services.ts';
import { until } from '@tagway/testkit';
import { fixtureAt, pointsOf, withFixture } from './fixture.ts';
import { real, Simulator } from './simulator.ts';

/**
 * The examples of ANSI/ASHRAE 135, Annex F, of the services that the driver uses, as the standard prints them. A request of the driver differs from
 * them in its second octet, the size of the answers it takes, in saying that it takes segments, and in that a write always names its priority.
 */
const annexF = {
  f12: '00020f0109121c020000042c0000000a39004e09552e44428200002f096f2e8204002f4f',
  f12ack: '200f01',
  f13: '100209121c020000042c0000000a39004e09552e44428200002f096f2e8204002f4f',
  f110: '00020f0509121c0000000a29013900',
  f35: '0000010c0c000000051955',
  f35ack: '30010c0c0000000519553e444290999a3f',
  f37: '0004f10e0c000000101e095509671f',
  f37ack: '30f10e0c000000101e29554e444290999a4f29674e91004f1f',
  f37error: '5e9101911f5f',
  f39: '0004590f0c0080000119553e44433400003f',
  f39ack: '20590f',
  f310: '000401100c008000051e09552e44428600002f1f0c008000061e09552e44428600002f1f0c008000071e09552e44429000002f1f',
  f310ack: '200110',
  f49: '1000c4020000012201e091012163',
} as const;

const at = (area: string, instance: number): number => objectOf(areas[area] as number, instance);
const present = (area: string, instance: number) => ({
  object: at(area, instance),
  property: Property.PRESENT_VALUE,
  index: undefined,
});
const bytes = (hex: string): Buffer => Buffer.from(hex, 'hex');

/** What follows the head of a confirmed request: its invoke id, its service, and what that says. */
const meaning = (apdu: Buffer): string => apdu.subarray(2).toString('hex');

/** A parsed message with nothing but this APDU. */
function parsed(apdu: string): { readonly pdu: Pdu; readonly data: Buffer } {
  const data = envelope(bytes(apdu));
  const pdu = new Pdu();
  expect(pdu.parse(data, 0, data.length), apdu).to.equal(true);
  return { pdu, data };
}

describe('requests, beside those of Annex F', () => {
  it('reads a property and several', () => {
    const one = confirmed(Service.READ_PROPERTY, 1, readProperty(present('AI', 5)));
    expect(meaning(one)).to.equal(annexF.f35.slice(4));
    const both = [
      present('AI', 16),
      { ...present('AI', 16), property: propertyNamed('Reliability')?.number ?? NaN },
    ];
    const many = confirmed(Service.READ_PROPERTY_MULTIPLE, 0xf1, readPropertyMultiple(both));
    expect(meaning(many)).to.equal(annexF.f37.slice(4));
    // Up to 64 segments of 1476 octets are taken.
    expect(many.subarray(0, 2).toString('hex')).to.equal('0265');
  });

  it('writes a property and several', () => {
    const write = { ...present('AV', 1), data: real(180), priority: 16 };
    const one = confirmed(Service.WRITE_PROPERTY, 89, writeProperty(write));
    expect(meaning(one)).to.equal(`${annexF.f39.slice(4)}4910`);
    const items = [67, 67, 72].map((value, index) => ({
      ...present('AV', 5 + index),
      data: real(value),
      priority: 8,
    }));
    const many = confirmed(Service.WRITE_PROPERTY_MULTIPLE, 1, writePropertyMultiple(items));
    expect(meaning(many)).to.equal(annexF.f310.slice(4).replaceAll('2f1f', '2f39081f'));
  });

  it('subscribes to an object, and ends it', () => {
    const subscription = { process: 18, object: at('AI', 10), isConfirmed: true, lifetime: 0 };
    const apdu = confirmed(Service.SUBSCRIBE_COV, 15, subscribeCov(subscription));
    expect(meaning(apdu)).to.equal(annexF.f110.slice(4));
    expect(cancelCov(subscription).toString('hex')).to.equal('09121c0000000a');
  });

  it('acknowledges notifications and segments, and rejects what it does not know', () => {
    expect(simpleAck(Service.COV_NOTIFICATION, 15).toString('hex')).to.equal(annexF.f12ack);
    expect(segmentAck(7, 3, 16, false).toString('hex')).to.equal('40070310');
    expect(segmentAck(7, 3, 16, true).toString('hex')).to.equal('42070310');
    expect(reject(4, 9).toString('hex')).to.equal('600409');
  });

  it('envelops them for the link, for a router and for a broadcast management device', () => {
    const who = unconfirmed(Unconfirmed.WHO_IS, Buffer.alloc(0));
    expect(who.toString('hex')).to.equal('1008');
    const asks = { expectsReply: true };
    expect(envelope(who).toString('hex')).to.equal('810a000801001008');
    expect(envelope(who, asks).toString('hex')).to.equal('810a000801041008');
    const route = { network: 2001, mac: Buffer.of(0x0a) };
    expect(envelope(who, { ...asks, route }).toString('hex')).to.equal('810a000d012407d1010aff1008');
    expect(registerForeignDevice(300).toString('hex')).to.equal('81050006012c');
    expect(deleteForeignDevice('10.0.0.9', 47_808).toString('hex')).to.equal('8108000a0a000009bac0');
  });
});

describe('answers, as Annex F has them', () => {
  it('are acknowledgements with a value', () => {
    const { pdu, data } = parsed(annexF.f35ack);
    expect(pdu).to.include({ kind: Kind.COMPLEX_ACK, id: 1, service: Service.READ_PROPERTY });
    const cursor = new TagCursor().begin(data, pdu.start, pdu.end);
    expect(openReadProperty(cursor, present('AI', 5))).to.equal(true);
    expect(cursor.next() && cursor.number).to.equal(Tag.REAL);
    expect(data.readFloatBE(cursor.start)).to.be.closeTo(72.3, 1e-5);
  });

  it('are acknowledgements without one', () => {
    const acks = [annexF.f39ack, annexF.f310ack].map((apdu) => parsed(apdu).pdu);
    expect(acks.map(({ kind, id, service }) => [kind, id, service])).to.deep.equal([
      [Kind.SIMPLE_ACK, 89, Service.WRITE_PROPERTY],
      [Kind.SIMPLE_ACK, 1, Service.WRITE_PROPERTY_MULTIPLE],
    ]);
  });

  it('are errors, rejects, aborts and segments', () => {
    const cursor = new TagCursor().begin(bytes(annexF.f37error));
    expect(cursor.opening(5)).to.equal(true);
    expect(readError(cursor)).to.equal(1 * 0x1_0000 + 31);
    expect(parsed('600409').pdu).to.include({ kind: Kind.REJECT, id: 4, reason: 9 });
    expect(parsed('710504').pdu).to.include({ kind: Kind.ABORT, id: 5, reason: 4 });
    expect(parsed('3c0703100c44').pdu).to.include({
      kind: Kind.COMPLEX_ACK,
      id: 7,
      isSegmented: true,
      moreFollow: true,
      sequence: 3,
      window: 16,
      service: Service.READ_PROPERTY,
    });
  });

  it('are what a device says of itself', () => {
    const { pdu, data } = parsed(annexF.f49);
    expect(pdu).to.include({ kind: Kind.UNCONFIRMED, service: Unconfirmed.I_AM });
    expect(readIAm(data, pdu.start, pdu.end)).to.deep.equal({
      object: objectOf(ObjectType.DEVICE, 1),
      maxApdu: 480,
      vendor: 99,
    });
  });

  it('are results of a broadcast management device', () => {
    expect(resultOf(bytes('810000060000'))).to.equal(BvlcResult.SUCCESS);
    expect(resultOf(bytes('810000060030'))).to.equal(BvlcResult.REGISTER_FOREIGN_DEVICE_NAK);
    expect(resultOf(bytes('810000060060'))).to.equal(BvlcResult.DISTRIBUTE_BROADCAST_NAK);
    for (const other of ['8100000600', '810000070000', '820000060000', '810a00060000'])
      expect(resultOf(bytes(other)), other).to.equal(undefined);
  });
});

describe('the driver, given the answers of Annex F', () => {
  /** A device that answers every request for a service with an APDU of the standard; its invoke id is that of the request. */
  function answering(device: Simulator, service: number, apdu: string): void {
    device.script = (request, _data, usual) => {
      if (request.service !== service) return [usual];
      const answer = bytes(apdu);
      answer[1] = request.id;
      return [envelope(answer)];
    };
  }

  it('reads what they say', async () => {
    await withFixture(async (fixture, device) => {
      answering(device, Service.READ_PROPERTY_MULTIPLE, annexF.f37ack);
      const read = await fixture.readings(pointsOf('AI16', ['AI16.Reliability', DataType.UINT8]));
      expect(read[0]).to.be.closeTo(72.3, 1e-5);
      expect(read[1]).to.equal(0);
      // The objects of the second example, in the order in which the driver asks.
      answering(
        device,
        Service.READ_PROPERTY_MULTIPLE,
        '30020e0c000000211e29554e44422933334f1f0c000000231e29554e4443d9d99a4f1f' +
          `0c000000321e2955${annexF.f37error}1f`,
      );
      const three = await fixture.readings(pointsOf('AI33', 'AI50', 'AI35'));
      expect(three[0]).to.be.closeTo(42.3, 1e-5);
      expect(three[1]).to.deep.equal({ fault: ErrorCode.READ_FAILED });
      expect(three[2]).to.be.closeTo(435.7, 1e-4);
    });
  });

  it('takes the notifications, and acknowledges the confirmed one', async () => {
    await using device = new Simulator();
    device.value(areas.AI as number, 10, real(1));
    await device.listen();
    await using fixture = await fixtureAt(device.port);
    const values: number[] = [];
    const quiet = (): void => undefined;
    const report = {
      integer: quiet,
      text: quiet,
      bytes: quiet,
      fault: quiet,
      stamp: quiet,
      drained: Promise.resolve(),
      send: () => true,
      number: (_index: number, value: number) => void values.push(value),
    };
    const watch = fixture.driver.watch?.(pointsOf('AI10'), report);
    if (watch === undefined) throw new Error('The driver cannot watch.');
    await using _ = watch;
    await until('the first value is there', () => values.length === 1 && device.acknowledged === 1);
    const subscription = device.subscriptions[0];
    if (subscription === undefined) throw new Error('There is no subscription.');
    // The driver chooses the number of its process; the rest is as printed.
    const process = new TagWriter().context(0, objectBytes(subscription.process)).bytes().toString('hex');
    const withProcess = (apdu: string): Buffer => envelope(bytes(apdu.replace('0912', process)));
    device.send(withProcess(annexF.f12), subscription.to);
    await until('it is acknowledged', () => device.acknowledged === 2);
    expect(device.packets.at(-1)?.bytes.toString('hex')).to.equal(`810a00090100${annexF.f12ack}`);
    device.send(withProcess(annexF.f13), subscription.to);
    await until('it is taken', () => values.length === 3);
    expect(values).to.deep.equal([1, 65, 65]);
  });
});
