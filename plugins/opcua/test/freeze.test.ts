import { expect } from 'chai';
import { Attribute, DataType, LinkState, Quality } from '@tagway/sdk';
import { statesOf, type ReportRecorder, until } from '@tagway/testkit';
import { StatusCodes } from 'node-opcua-client';
import { Message, misdirect, Relay, spoil } from './relay.ts';
import { pointsOf, Fixture } from './fixture.ts';
import { Server } from './server.ts';

const { INT16, INT32, STRING } = DataType;
const { READ, SUBSCRIBE } = Attribute;

describe('changes that an OPC UA server reports', function () {
  this.timeout(60_000);
  let server: Server;

  before(async () => {
    server = await Server.start({ counting: 20 });
  });
  after(() => server?.[Symbol.asyncDispose]());

  const subscribing = { update_mode: 1, publishing_interval: 50, timeout: 1000 };

  it('come with their source time and quality, those that are read too', async () => {
    await using fixture = await Fixture.connected({ url: server.url, ...subscribing });
    const points = pointsOf(['1!tag1', INT16], ['1!tag2', INT16]);
    const watch = fixture.watch(points);
    const before = Date.now();
    await server.set('tag1', 11, 'UncertainLastUsableValue');
    await server.set('tag2', 12, 'BadSensorFailure');
    await until('both were reported', () => watch.latest[0] === 11 && watch.latest[1] === 3000);
    const read = (await fixture.report(points)) as ReportRecorder;
    for (const { times, qualities, faults } of [watch.report, read]) {
      for (const time of times) expect(time).to.be.within(before - 5, Date.now());
      const { value: uncertain } = StatusCodes.UncertainLastUsableValue;
      expect(qualities[0]).to.equal((uncertain & 0xffff_0000) | Quality.UNCERTAIN);
      expect(qualities[1]).to.equal((StatusCodes.BadSensorFailure.value & 0xffff_0000) >>> 0);
      expect(faults[1]?.message).to.match(/BadSensorFailure/);
    }
    await server.set('tag1', 1);
    await server.set('tag2', 2);
  });

  it('arrive one by one and in order with SUBSCRIBE, however many there are between two publications', async () => {
    await using fixture = await Fixture.connected({
      url: server.url,
      update_mode: 1,
      publishing_interval: 500,
    });
    const watch = fixture.watch(pointsOf(['1!Eventful', INT16, READ | SUBSCRIBE]));
    await until('the first value is there', () => watch.latest[0] === 3);
    const values = Array.from({ length: 60 }, (_, index) => (index % 2 === 0 ? 0 : index));
    await server.pulse('Eventful', values);
    await until('the last one is there', () => watch.latest[0] === 59);
    expect(watch.report.of(0)).to.deep.equal([3, ...values]);
  });

  it('are counted and named once when the server could not keep all of them', async () => {
    await using fixture = await Fixture.connected({
      url: server.url,
      update_mode: 1,
      publishing_interval: 500,
    });
    const watch = fixture.watch(pointsOf(['1!Eventful', INT16, READ | SUBSCRIBE]));
    await until('the first value is there', () => watch.latest[0] !== undefined);
    const values = Array.from({ length: 300 }, (_, index) => index + 1);
    await server.pulse('Eventful', values);
    await until('the last one is there', () => watch.latest[0] === 300);
    expect(fixture.record.counts.get('queue_overflows')).to.be.greaterThan(0);
    expect(fixture.lines.filter((line) => line.includes('could not keep all changes'))).to.have.length(1);
  });

  it('are fetched again when a message was lost on its way, and stay in order', async () => {
    await using relay = await Relay.start(server.port);
    await using fixture = await Fixture.connected({ url: relay.url, ...subscribing });
    const watch = fixture.watch(pointsOf(['1!tag5', INT16, READ | SUBSCRIBE]));
    await until('the first value is there', () => watch.latest[0] === 5);
    let lost = 0;
    relay.toClient = ({ message }) => {
      if (message !== Message.PUBLISH_RESPONSE || lost > 0) return 'pass';
      lost++;
      return 'lose';
    };
    await server.set('tag5', 51);
    await until('a message was lost', () => lost === 1);
    await server.set('tag5', 52);
    await until('the latest value is there', () => watch.latest[0] === 52);
    expect(watch.report.of(0)).to.deep.equal([5, 51, 52]);
  });

  it('that stop coming cost an error and are read instead, and are subscribed anew once they come again', async () => {
    await using relay = await Relay.start(server.port);
    await using fixture = await Fixture.connected({ url: relay.url, ...subscribing });
    const points = pointsOf(['1!tag6', INT16], ['1!tag7', INT16]);
    const watch = fixture.watch(points);
    await until('the values are there', () => watch.latest[1] === 7);
    relay.toClient = ({ message }) => (message === Message.PUBLISH_RESPONSE ? 'lose' : 'pass');
    await server.set('tag6', 66);
    await until('the tags say so', () => watch.latest.every((value) => value === 3015));
    expect(watch.polled, 'they are read').to.deep.equal([0, 1]);
    expect(watch.report.faults[0]?.message).to.match(/stopped to report changes/);
    await until('there is a new session', () => {
      const sessions = statesOf(fixture.record).filter((state) => state === LinkState.CONNECTED);
      return sessions.length > 1 && fixture.isUp;
    });
    await until('they are read there too', () => watch.polled.length === 2);
    relay.toClient = () => 'pass';
    await until('the values are there again', () => watch.latest[0] === 66 && watch.latest[1] === 7);
    await until('nothing is polled', () => watch.polled.length === 0);
    await server.set('tag6', 6);
    await until('changes are reported', () => watch.latest[0] === 6);
    expect(fixture.lines.filter((line) => line.includes('subscribed anew'))).to.have.length(1);
  });

  it('come on after messages that cannot be decoded, which cost no place at the server', async () => {
    await using relay = await Relay.start(server.port);
    await using fixture = await Fixture.connected({ url: relay.url, ...subscribing });
    const watch = fixture.watch(pointsOf(['1!tag8', INT16]));
    await until('the first value is there', () => watch.latest[0] === 8);
    let spoilt = 0;
    relay.toClient = (chunk) => {
      if (chunk.message === Message.PUBLISH_RESPONSE && spoilt < 2) {
        spoil(chunk);
        spoilt++;
      }
      return 'pass';
    };
    for (let value = 80; spoilt < 2; value++) {
      await server.set('tag8', value);
      const { length } = watch.report.history;
      await until('something came of it', () => spoilt === 2 || watch.report.history.length > length);
    }
    await server.set('tag8', 8);
    await until('the value is there', () => watch.latest[0] === 8);
    await server.set('tag8', 9);
    await until('changes are reported', () => watch.latest[0] === 9 && watch.polled.length === 0);
    await server.set('tag8', 8);
  });

  it('of a watch that ends while it begins are not left to the server', async () => {
    await using relay = await Relay.start(server.port);
    await using fixture = await Fixture.connected({ url: relay.url, ...subscribing });
    let created = 0;
    let deleted = 0;
    relay.toServer = ({ message }) => {
      if (message === Message.CREATE_SUBSCRIPTION_REQUEST) {
        created++;
        void watch.end();
      }
      if (message === Message.DELETE_SUBSCRIPTIONS_REQUEST) deleted++;
      return 'pass';
    };
    const watch = fixture.watch(pointsOf(['1!tag9', INT16]));
    await until('it was created and deleted', () => deleted === 1);
    expect(created).to.equal(1);
    expect(watch.latest).to.deep.equal([undefined]);
  });

  it('that never come for an item that the server has taken leave it to polling, until they come', async () => {
    await using relay = await Relay.start(server.port);
    await using fixture = await Fixture.connected({ url: relay.url, ...subscribing });
    relay.toClient = (chunk) => {
      if (chunk.message === Message.PUBLISH_RESPONSE) misdirect(chunk);
      return 'pass';
    };
    const watch = fixture.watch(pointsOf(['1!tag9', INT16]));
    await until('it is polled', () => watch.polled.length === 1);
    expect(watch.latest).to.deep.equal([undefined]);
    relay.toClient = () => 'pass';
    await server.set('tag9', 99);
    await until('it is reported', () => watch.latest[0] === 99);
    expect(watch.polled).to.deep.equal([]);
  });

  it('go on beside one value that is too large for a message of the server', async () => {
    await using relay = await Relay.start(server.port);
    let large = 0;
    relay.toClient = ({ bytes, kind }) => {
      if (kind !== 'MSG' || bytes.length < 60_000) return 'pass';
      large++;
      return { error: StatusCodes.BadResponseTooLarge.value };
    };
    await using fixture = await Fixture.connected({ url: relay.url, ...subscribing });
    fixture.record.sleepSpeed = 20;
    const tags = Array.from({ length: 10 }, (_, index) => [`1!tag${index + 10}`, INT16] as const);
    const watch = fixture.watch(pointsOf(...tags, ['1!Large', STRING], ['1!Numeric', INT32]));
    await until('the others are there', () =>
      watch.latest.slice(0, 10).every((value, index) => value === index + 10),
    );
    await until('the large one is read, which shows why it cannot be', () => watch.polled[0] === 10);
    const seen = large;
    await server.set('tag10', 100);
    await until('changes are reported', () => watch.latest[0] === 100);
    expect(fixture.isUp).to.equal(true);
    expect(large, 'answers that were too large since').to.equal(seen);
    await server.set('tag10', 10);
  });
});
