import { Attribute, DataType, ErrorCode, LinkState } from '@tagway/schemas';
import { MailServer, type ReceivedMail } from '@tagway/testkit/mail-server';
import { expect } from 'chai';
import { addModbus, connected, hasValue, registerTags, stateOf } from '../kit/configure.ts';
import { until } from '../kit/until.ts';
import { startPlant, usePlantOf } from '../world/plant.ts';

const { READ, WRITE } = Attribute;

const plantParts = ['device', 'gateway', 'client'] as const;

describe('Notify', function () {
  this.timeout(180_000);
  const plant = usePlantOf((stack) => startPlant(stack), plantParts);
  const { device, gateway, client } = plant;
  let server: MailServer;

  const texts = (): string[] =>
    server.messages.map(({ mail }) => `${mail.subject ?? ''}\n${mail.text ?? ''}`);

  const comes = (text: string): Promise<ReceivedMail> =>
    until(
      `a message says "${text}"`,
      () => server.messages.find((_, index) => texts()[index]!.includes(text)),
      {
        within: 60_000,
      },
    );

  const set = (high: number, trip: number): Promise<void> => device.setRegisters(0, [high, trip]);

  const becomes = (value: string): Promise<void> => hasValue(client, 'alarms', 'group', 'high', value);

  const acknowledge = async (): Promise<void> => {
    const command = { node: 'alarms', group: 'group', tag: 'high', value: 'acknowledge: on my way' };
    await client.ok('POST', '/write', command);
  };

  const control = (cmd: number): Promise<unknown> => client.ok('POST', '/node/ctl', { node: 'notify', cmd });

  const setting = async (name: string): Promise<unknown> =>
    (await client.ok<{ params: Record<string, unknown> }>('GET', '/node/setting', { node: 'notify' })).params[
      name
    ];

  before(async () => {
    server = await MailServer.start();
    await set(5, 0);
    await addModbus(client, 'plc', { port: device.port, group: 'fast', tags: registerTags(2, READ | WRITE) });
    await client.ok('POST', '/node', { name: 'alarms', plugin: 'Alarms' });
    await client.ok('POST', '/node/setting', { node: 'alarms', params: {} });
    await client.ok('POST', '/group', { name: 'group', node: 'alarms', interval: 200 });
    const address =
      'high(tag("plc/fast/tag0"), 90, priority: high, text: "level " + string(tag("plc/fast/tag0")))';
    const tags = [{ name: 'high', address, type: DataType.STRING, attribute: READ | WRITE }];
    await client.ok('POST', '/tags', { node: 'alarms', group: 'group', tags });
    await client.ok('POST', '/node', { name: 'notify', plugin: 'Notify' });
    const params = {
      rules:
        'duty = duty@example.com | also: acknowledged, returned\nreport = office@example.com | digest: 07:00',
      signals: 'tag("plc/fast/tag1") low [duty]: The pump has tripped',
      smtp_host: '127.0.0.1',
      smtp_port: server.port,
      smtp_security: 2,
      from: 'gateway@example.com',
      page: gateway.url,
      gather: 0,
      timeout: 2000,
    };
    await client.ok('POST', '/node/setting', { node: 'notify', params });
    await client.ok('POST', '/subscribe', {
      app: 'notify',
      driver: 'alarms',
      group: 'group',
      params: { rules: 'duty' },
    });
    await connected(client, 'notify');
    await becomes('normal');
  });

  after(() => server?.[Symbol.asyncDispose]());

  it('sends an alarm, who acknowledges it, and that it is over', async () => {
    await set(95, 0);
    const { to, mail } = await comes('high raised: alarms/group/high level 95 95');
    expect(to).to.deep.equal(['duty@example.com']);
    expect(mail.text).to.include(`${gateway.url}/#/alarms`);
    await becomes('unacknowledged');
    await acknowledge();
    await comes('high acknowledged: alarms/group/high level 95 95 admin on my way');
    await set(5, 0);
    await comes('high returned to normal: alarms/group/high');
  });

  it('sends a tag that becomes true, once, over a restart of the gateway', async () => {
    await set(5, 1);
    await comes('low raised: plc/fast/tag1 The pump has tripped 1');
    await gateway.restart();
    await plant.renew();
    await connected(plant.client, 'notify');
    await connected(plant.client, 'plc');
    await set(5, 0);
    await comes('low returned to normal: plc/fast/tag1');
    expect(texts().filter((text) => text.includes('raised: plc/fast/tag1'))).to.have.length(1);
  });

  it('keeps its references under other names, and what it reads from being deleted', async () => {
    const { body } = await client.call('DELETE', '/tags', { node: 'plc', group: 'fast', tags: ['tag1'] });
    expect(body.error).to.equal(ErrorCode.GROUP_SUBSCRIBED);
    expect(body.message).to.include('is used by the app "notify" (setting "signals")');
    await client.ok('PUT', '/tag/rename', {
      node: 'plc',
      group: 'fast',
      old_name: 'tag1',
      new_name: 'trip 50 %',
    });
    await client.ok('PUT', '/node', { name: 'plc', new_name: 'boiler' });
    expect(await setting('signals')).to.equal(
      'tag("boiler/fast/trip 50 %25") low [duty]: The pump has tripped',
    );
    await set(5, 1);
    await comes('raised: boiler/fast/trip 50 % The pump has tripped');
    await set(5, 0);
    await comes('returned to normal: boiler/fast/trip 50 %');
    const missing = { node: 'notify', params: { rules: 'a = a@b.c', smtp_host: 'x', from: 'a@b.c' } };
    const refused = await client.call('POST', '/node/setting', {
      ...missing,
      params: { ...missing.params, signals: 'tag("boiler/fast/none"): x' },
    });
    expect(refused.body.message).to.include('the group "fast" of "boiler" has no tag "none"');
  });

  it('sends what happened while it did not run, and while the mail server was away, over a kill', async () => {
    const { port } = server;
    await control(1);
    await set(96, 0);
    await becomes('unacknowledged');
    await server[Symbol.asyncDispose]();
    await control(0);
    await until('the server is seen to be away', async () => {
      const { link } = await stateOf(client, 'notify');
      return link === LinkState.DISCONNECTED;
    });
    await acknowledge();
    await becomes('acknowledged');
    await gateway.kill();
    await gateway.start();
    await plant.renew();
    server = await MailServer.start({}, port);
    await comes('high raised: alarms/group/high level 96 96');
    await comes('high acknowledged: alarms/group/high');
    await connected(plant.client, 'boiler');
    await set(5, 0);
    await comes('high returned to normal: alarms/group/high');
    for (const event of ['raised', 'acknowledged', 'returned to normal'])
      expect(
        texts().filter((text) => text.includes(`high ${event}: `)),
        event,
      ).to.have.length(1);
  });

  it('sends twice only when it is killed between the answer of the server and the note of it, with one Message-ID', async () => {
    let isKilled = false;
    server.conduct.message = async () => {
      if (isKilled) return 250;
      isKilled = true;
      await gateway.kill();
      return 250;
    };
    await set(97, 0);
    await comes('high raised: alarms/group/high level 97 97');
    await gateway.start();
    await plant.renew();
    const copies = (): ReceivedMail[] =>
      server.messages.filter((_, index) => texts()[index]!.includes('raised: alarms/group/high level 97'));
    await until('it comes again', () => copies().length === 2, { within: 60_000 });
    const [one, two] = copies();
    expect(one!.mail.messageId).to.equal(two!.mail.messageId);
    expect(one!.raw).to.equal(two!.raw);
    await connected(plant.client, 'boiler');
    await becomes('unacknowledged');
    await acknowledge();
    await comes('high acknowledged: alarms/group/high level 97');
    expect(copies()).to.have.length(2);
  });

  it('counts what it sends for the metrics, and its secrets are stored encrypted and not shown', async () => {
    for (const name of ['send_msgs_total', 'waiting_alarms', 'oldest_waiting_seconds', 'cached_msgs'])
      await until(`the metrics have ${name}`, async () => {
        const { text } = await client.call('GET', '/metrics', {});
        return new RegExp(`^[a-z_]*${name}\\{.*notify.*\\} `, 'm').test(text);
      });
    const { params } = await client.ok<{ params: object }>('GET', '/node/setting', { node: 'notify' });
    const webhook = 'http://127.0.0.1:1/hooks/very-secret';
    const rules = 'duty = duty@example.com, webhook';
    await client.ok('POST', '/node/setting', { node: 'notify', params: { ...params, rules, webhook } });
    expect(await setting('webhook')).to.equal('********');
    await set(5, 0);
    await becomes('normal');
    await set(99, 0);
    await until('the webhook is tried', async () =>
      JSON.stringify(await stateOf(client, 'notify')).includes('127.0.0.1:1'),
    );
    expect(await gateway.log()).not.to.include('very-secret');
  });
});
