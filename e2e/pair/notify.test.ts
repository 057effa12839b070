import { Attribute, DataType } from '@tagway/schemas';
import { MailServer } from '@tagway/testkit/mail-server';
import { expect } from 'chai';
import { hasValue } from '../kit/configure.ts';
import { sleep, until } from '../kit/until.ts';
import { describePair } from './suite.ts';

const { READ, WRITE } = Attribute;

/** An alarm that is there from the beginning. */
const address = 'low(tag("plant/watched/tag0"), 32767, text: "low")';

describePair('notify at two gateways', 37, false, ({ pair }) => {
  let server: MailServer;

  const saying = (text: string): number =>
    server.messages.filter(({ mail }) => (mail.text ?? '').includes(text)).length;

  const add = async (tag: string): Promise<void> => {
    const tags = [{ name: tag, address, attribute: READ | WRITE, type: DataType.STRING }];
    await (await pair().client()).ok('POST', '/tags', { node: 'alarms', group: 'group', tags });
    await hasValue(await pair().client(), 'alarms', 'group', tag, 'unacknowledged');
  };

  before(async () => {
    const client = await pair().client();
    const host = pair().network.address('outside');
    server = await MailServer.start({}, 0, host);
    await client.ok('POST', '/node', { name: 'alarms', plugin: 'Alarms' });
    await client.ok('POST', '/group', { name: 'group', node: 'alarms', interval: 200 });
    await client.ok('POST', '/node/setting', { node: 'alarms', params: {} });
    const mail = { smtp_host: host, smtp_port: server.port, smtp_security: 2, from: 'gateway@example.com' };
    const rules = 'duty = duty@example.com | repeat: 600 | also: acknowledged';
    await client.ok('POST', '/node', {
      name: 'notify',
      plugin: 'Notify',
      params: { rules, ...mail, gather: 0, timeout: 2000 },
    });
    await client.ok('POST', '/subscribe', { app: 'notify', driver: 'alarms', group: 'group' });
  });

  after(() => server?.[Symbol.asyncDispose]());

  it('what was sent and what waits is at both, and a hand-over sends nothing again and loses nothing', async () => {
    await add('first');
    await until('the first alarm is sent', () => saying('raised: alarms/group/first') === 1);
    server.conduct.message = () => 451;
    await add('second');
    const before = await pair().settled();
    await pair().switch();
    const after = await pair().settled();
    expect(after.active.side).to.equal(before.standby.side);
    server.conduct.message = () => 250;
    await until('the second alarm is sent', () => saying('raised: alarms/group/second') === 1, {
      within: 60_000,
    });
    const client = await pair().client();
    const command = { node: 'alarms', group: 'group', tag: 'first', value: 'acknowledge: seen' };
    await hasValue(client, 'alarms', 'group', 'first', 'unacknowledged');
    await client.ok('POST', '/write', command);
    await until('the acknowledgement is sent', () => saying('acknowledged: alarms/group/first') === 1, {
      within: 60_000,
    });
    await sleep(1500);
    expect(saying('alarms/group/first')).to.equal(2);
    expect(saying('alarms/group/second')).to.equal(1);
  });
});
