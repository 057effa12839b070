import { LinkState } from '@tagway/sdk';
import { Certificates } from '@tagway/store/test';
import { until as untilSo } from '@tagway/testkit';
import { expect } from 'chai';
import plugin from '../src/index.ts';
import { MailServer } from '@tagway/testkit/mail-server';
import { paramsOf, stand, type Stand, subscription, transition } from './node.ts';

/** Waits until the condition holds. */
const until = (condition: () => boolean | Promise<boolean>, within?: number): Promise<void> =>
  untilSo(String(condition), condition, within);

const raised = (more: Parameters<typeof transition>[2] = {}): ReturnType<typeof transition> =>
  transition('normal', 'unacknowledged', more);

async function at(
  server: Pick<MailServer, 'port'>,
  params: object = {},
  speed = 1,
): Promise<Stand & AsyncDisposable> {
  const made = await stand(paramsOf(server.port, params), speed);
  return { ...made, [Symbol.asyncDispose]: () => made.node[Symbol.asyncDispose]() };
}

const steps = async (params: object): Promise<{ steps: string[]; error: string }> => {
  const taken: string[] = [];
  const settings = paramsOf(1, params) as never;
  const signal = AbortSignal.timeout(10_000);
  const step = (name: string): void => void taken.push(name);
  const error = await plugin.tryConnection!({ node: 'test', settings, signal, step }).then(
    () => '',
    (reason: unknown) => String(reason),
  );
  return { steps: taken, error };
};

describe('messages of e-mail', function () {
  this.timeout(30_000);

  it('are read by an independent parser, with values, a link and one Message-ID', async () => {
    await using server = await MailServer.start();
    await using run = await at(server, {
      rules: 'duty = duty@example.com, boss@example.com',
      page: 'https://gateway.example.com:7000/',
      time_zone: 'Europe/Berlin',
    });
    run.happen(raised({ time: Date.UTC(2026, 6, 1, 10) }));
    await until(() => server.taken === 1);
    const [{ from, to, mail }] = server.messages as [MailServer['messages'][0]];
    expect([from, ...to]).to.deep.equal(['gateway@example.com', 'duty@example.com', 'boss@example.com']);
    expect(mail.subject).to.equal('notify: 1 (high) alarms Boiler at 95 °C');
    expect(mail.text).to.include('2026-07-01 12:00:00 high raised: alarms/group/high Boiler at 95 °C 95');
    expect(mail.text).to.include('https://gateway.example.com:7000/#/alarms');
    expect(mail.messageId).to.match(/^<[0-9a-f-]{36}@example\.com>$/);
    expect(mail.headers.get('auto-submitted')).to.equal('auto-generated');
    await until(() => run.node.link === LinkState.CONNECTED && run.node.gauges.get('cached_msgs') === 0);
    expect(run.node.count('send_msgs_total')).to.equal(1);
  });

  it('get no header and no line from the name of an alarm', async () => {
    await using server = await MailServer.start();
    const text = 'x\r\nBcc: evil@example.com\r\n\r\nbody\u202e\u2066 \u05d0\u0000';
    await using run = await at(server, { subject: '{text}' });
    run.happen(raised({ text, comment: text, by: { kind: 'user', name: 'a\r\n.\r\nQUIT' } }));
    await until(() => server.taken === 1);
    const [{ to, mail, raw }] = server.messages as [MailServer['messages'][0]];
    expect(to).to.deep.equal(['duty@example.com']);
    expect(mail.headers.has('bcc')).to.equal(false);
    expect(mail.subject).to.equal('\u2068x Bcc: evil@example.com body \u05d0\u2069');
    expect(mail.text).not.to.match(/[\u202a-\u202e\u2066]/);
    expect(mail.text).not.to.include('\u0000');
    expect(raw.split('\r\n\r\n')[0]).not.to.match(/^bcc:/im);
  });

  it('gather what happens together, and list what has room', async () => {
    await using server = await MailServer.start();
    await using run = await at(server, { gather: 1 });
    run.happen(...Array.from({ length: 70 }, (_, index) => raised({ text: `alarm ${index}` })));
    await until(() => server.taken === 1);
    const { text = '' } = server.messages[0]!.mail;
    expect(text.split('\n').filter((line) => line.includes('alarm ')).length).to.equal(50);
    expect(text).to.include('20 more are not listed here.');
    expect(server.messages[0]!.mail.subject).to.include('notify: 70 (high)');
    expect(run.node.count('suppressed_alarms_total')).to.equal(20);
  });

  it('wait while the server is away, in one message, over restarts, and come once', async () => {
    const server = await MailServer.start();
    const { port } = server;
    await server[Symbol.asyncDispose]();
    await using run = await at({ port });
    run.happen(raised({ text: 'first' }));
    await until(() => run.node.link === LinkState.DISCONNECTED);
    expect(JSON.stringify(run.node.reports.at(-1))).to.include('refuses the connection');
    run.happen(raised({ text: 'second', tag: 'low' }), raised({ text: 'third', tag: 'other' }));
    await run.node.restart(paramsOf(port));
    // What happens while the node does not run is in the journal.
    run.journal.push(raised({ text: 'fourth', tag: 'low' }));
    run.node.app.subscriptionsChanged([subscription]);
    await using again = await MailServer.start({}, port);
    await until(() => again.taken === 2, 20_000);
    const texts = again.messages.map(({ mail }) => mail.text ?? '');
    expect(texts[0]).to.include('first').and.not.include('second');
    expect(texts[1]).to.include('second').and.include('third').and.include('fourth');
    await until(async () => [...(await run.store.read()).keys()].every((key) => !key.startsWith('message/')));
  });

  it('come again with the same Message-ID when a server has taken one and never answers', async () => {
    await using server = await MailServer.start();
    server.conduct.message = () => 0;
    await using run = await at(server, { timeout: 300 });
    run.happen(raised());
    await until(() => server.taken === 1 && run.node.link === LinkState.DISCONNECTED);
    server.conduct.message = () => 250;
    await until(() => server.taken === 2);
    const [one, two] = server.messages;
    expect(one!.mail.messageId).to.equal(two!.mail.messageId);
    expect(one!.raw).to.equal(two!.raw);
  });

  it('reach the good receivers when others are refused, and those that are deferred later', async () => {
    await using server = await MailServer.start();
    let isDeferred = true;
    server.conduct.receiver = (address) =>
      address.startsWith('bad') ? 550 : address.startsWith('grey') && isDeferred ? 451 : 250;
    await using run = await at(
      server,
      { rules: 'duty = good@example.com, bad@example.com, grey@example.com' },
      60,
    );
    run.happen(raised());
    await until(() => server.taken === 1);
    expect(server.messages[0]!.to).to.deep.equal(['good@example.com']);
    await until(() => run.node.count('refused_receivers_total') === 1);
    expect(run.node.lines.join()).to.include('does not take the receiver bad@example.com');
    run.happen(raised({ tag: 'low', text: 'second' }));
    await until(() => server.messages.some(({ mail }) => mail.text?.includes('second')));
    isDeferred = false;
    await until(() => server.messages.some(({ to }) => to.join() === 'grey@example.com'));
    const rest = server.messages.find(({ to }) => to.join() === 'grey@example.com')!;
    expect(rest.mail.messageId).to.be.oneOf(
      server.messages.filter((one) => one !== rest).map((one) => one.mail.messageId),
    );
  });

  it('are given up when the server refuses them for good, and what follows goes', async () => {
    await using server = await MailServer.start();
    server.conduct.message = () => 554;
    await using run = await at(server);
    run.happen(raised());
    await until(() => run.node.count('refused_receivers_total') === 1);
    expect(run.node.lines.join()).to.include('is given up because');
    server.conduct.message = () => 250;
    run.happen(raised({ tag: 'low' }));
    await until(() => server.taken === 1);
  });

  it('are limited by the hour, and what comes beyond is counted in the next one', async () => {
    await using server = await MailServer.start();
    // An hour is three seconds.
    await using run = await at(server, { most_per_hour: 2 }, 1200);
    for (const [index, count] of [1, 2].entries()) {
      run.happen(raised({ text: `number ${index}` }));
      await until(() => server.taken === count);
    }
    expect(server.messages[0]!.mail.text).not.to.include('This is the last');
    expect(server.messages[1]!.mail.text).to.include('This is the last of 2 messages an hour.');
    for (let index = 0; index < 60; index++) run.happen(raised({ text: `beyond ${index}` }));
    expect(server.taken).to.equal(2);
    await until(() => server.taken === 3);
    expect(server.messages[2]!.mail.text).to.include('beyond 0').and.include('10 more are not listed here.');
    expect(server.messages[2]!.mail.subject).to.include('notify: 60');
  });

  it('are repeated and escalated until somebody acknowledges', async () => {
    await using server = await MailServer.start();
    const rules =
      'duty = duty@example.com | repeat: 10 | also: acknowledged\nboss = boss@example.com | after: 15';
    // A minute is a tenth of a second.
    await using run = await at(server, { rules, most_per_hour: 1000 }, 600);
    const to = (name: string): string[] =>
      server.messages
        .filter((one) => one.to.join() === `${name}@example.com`)
        .map(({ mail }) => mail.text ?? '');
    run.happen(raised());
    await until(() => to('duty').length >= 3 && to('boss').length === 1);
    expect(to('duty')[0]).to.include('raised:');
    expect(to('duty')[1]).to.include('still not acknowledged:');
    expect(to('boss')[0]).to.include('not acknowledged, escalated:');
    const by = { kind: 'user', name: 'maria' } as const;
    run.happen(
      transition('unacknowledged', 'acknowledged', { cause: 'acknowledge', by, comment: 'on my way' }),
    );
    await until(() =>
      to('duty').at(-1)!.includes('acknowledged: alarms/group/high Boiler at 95 °C 95 maria on my way'),
    );
    const count = server.taken;
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect(server.taken, 'nothing more').to.equal(count);
    run.happen(transition('acknowledged', 'normal'), raised({ sequence: run.journal.at(-1)!.sequence + 2 }));
    await until(() => to('boss').length === 2);
  });

  it('go over TLS to a server with the right certificate alone, with a login', async () => {
    using certificates = Certificates.make();
    const login = { user: 'plant', password: 'secret' };
    for (const [security, secure] of [
      [0, false],
      [1, true],
    ] as const) {
      const tls = (name: string): object => ({
        secure,
        key: certificates.pem(`${name}-key`),
        cert: certificates.pem(name),
        onAuth: (
          { username, password }: { username?: string; password?: string },
          _session: unknown,
          done: (error: Error | null, answer?: object) => void,
        ) =>
          username === login.user && password === login.password
            ? done(null, { user: 'plant' })
            : done(new Error('Wrong')),
      });
      const params = {
        smtp_security: security,
        username: login.user,
        password: login.password,
        ca: certificates.base64('ca'),
      };
      await using server = await MailServer.start(tls('broker'));
      await using elsewhere = await MailServer.start(tls('elsewhere'));
      await using run = await at(server, params);
      run.happen(raised());
      await until(() => server.taken === 1);
      expect(await steps({ ...params, smtp_port: server.port })).to.deep.equal({
        steps: ['connect', 'handshake', 'login'],
        error: '',
      });
      const wrong = await steps({ ...params, smtp_port: server.port, password: 'other' });
      expect(wrong.steps.at(-1)).to.equal('login');
      expect(wrong.error).to.include('does not take the login');
      for (const other of [
        { ...params, smtp_port: elsewhere.port },
        { ...params, smtp_port: server.port, ca: certificates.base64('other') },
      ]) {
        const refused = await steps(other);
        expect(refused.steps.at(-1)).to.equal('handshake');
        expect(refused.error).to.match(/certificate of the mail server (is not made out|does not come from)/);
      }
      expect(elsewhere.taken).to.equal(0);
    }
    await using open = await MailServer.start();
    const params = { smtp_security: 0, smtp_port: open.port };
    expect((await steps(params)).error).to.include('offers no TLS');
  });
});
