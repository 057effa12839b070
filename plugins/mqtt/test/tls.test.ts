import {
  aedesBroker,
  Certificates,
  hasMosquitto,
  mosquittoBroker,
  type Broker,
} from '@tagway/mqtt-client/test';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect } from 'chai';
import { LinkState } from '@tagway/sdk';
import type { Subscription } from '@tagway/sdk';
import { freePort, hasOpenssl, until } from '@tagway/testkit';
import type { Params } from '../src/topics.ts';
import { sampleOf, startNode, subscription } from './nodes.ts';

const route: Subscription<Params> = { ...subscription, params: { topic: 'up' } };

interface Demands {
  /** Name of the broker's certificate. */
  readonly certificate?: string;
  /** Wants a certificate of the client. */
  readonly mutual?: boolean;
}

type Start = (certificates: Certificates, demands: Demands) => Promise<Broker>;

const startAedes: Start = (certificates, { certificate = 'broker', mutual = false }) => {
  const client = mutual ? { ca: certificates.pem('ca'), requestCert: true, rejectUnauthorized: true } : {};
  const cert = certificates.pem(certificate);
  return aedesBroker({ tls: { cert, key: certificates.pem(`${certificate}-key`), ...client } });
};

const startMosquitto: Start = (certificates, { certificate = 'broker', mutual = false }) =>
  mosquittoBroker([
    `cafile ${certificates.path('ca')}`,
    `certfile ${certificates.path(certificate)}`,
    `keyfile ${certificates.path(`${certificate}-key`)}`,
    `require_certificate ${String(mutual)}`,
    'allow_anonymous true',
  ]);

/** Connects with these settings. Returns the line that says why there is no connection, or undefined when there is one. */
async function failure(port: number, params: Record<string, unknown>): Promise<string | undefined> {
  await using run = await startNode({ host: '127.0.0.1', port, ssl: true, ...params });
  run.app.subscriptionsChanged([route]);
  run.deliver(sampleOf(1), route);
  const line = (): string | undefined => run.lines.find((each) => each.includes('no connection'));
  // A broker that wants a certificate may say so only after the client's side of the handshake is complete.
  const sent = (): boolean => run.count('send_msgs_total') > 0 && run.gauges.get('cached_msgs') === 0;
  await until('the message is sent or the connection fails', () => sent() || line() !== undefined);
  if (line() === undefined) return undefined;
  expect(run.links).to.not.include(LinkState.CONNECTED);
  expect(run.links).to.include(LinkState.DISCONNECTED);
  return line();
}

const brokers: readonly (readonly [name: string, start: Start, there: boolean])[] = [
  ['aedes', startAedes, hasOpenssl],
  ['mosquitto', startMosquitto, hasOpenssl && hasMosquitto],
];

for (const [name, start, there] of brokers) {
  const title = `TLS with ${name}${there ? '' : ` (skipped: it needs ${name} and openssl)`}`;
  (there ? describe : describe.skip)(title, () => {
    let certificates: Certificates;
    before(() => {
      certificates = Certificates.make();
    });
    after(() => {
      certificates[Symbol.dispose]();
    });

    // aedes does not speak MQTT 5.
    for (const version of name === 'aedes' ? [4] : [4, 5]) {
      it(`connects to a broker whose certificate its CA signed (MQTT level ${version})`, async () => {
        await using broker = await start(certificates, {});
        const ca = certificates.base64('ca');
        for (const qos of [0, 1, 2])
          expect(await failure(broker.port, { version, ca, qos })).to.equal(undefined);
        expect(await failure(broker.port, { version, ca, host: 'localhost' })).to.equal(undefined);
      });
    }

    it('shows its own certificate, whose key may have a password', async () => {
      await using broker = await start(certificates, { mutual: true });
      const base = { ca: certificates.base64('ca'), cert: certificates.base64('client') };
      const key = certificates.base64('client-key');
      const locked = certificates.base64('locked');
      expect(await failure(broker.port, { ...base, key })).to.equal(undefined);
      expect(await failure(broker.port, { ...base, key: locked, keypass: 'secret' })).to.equal(undefined);
    });

    const wrong: readonly (readonly [
      what: string,
      demands: Demands,
      expected: RegExp,
      params: (pem: Certificates) => object,
    ])[] = [
      [
        'that another CA signed',
        {},
        /does not come from the authority in "ca"/,
        (pem) => ({ ca: pem.base64('other') }),
      ],
      [
        'made out to another name',
        { certificate: 'elsewhere' },
        /not made out to the name in "host"/,
        (pem) => ({ ca: pem.base64('ca') }),
      ],
      ['whose time is over', { certificate: 'expired' }, /has expired/, (pem) => ({ ca: pem.base64('ca') })],
    ];
    for (const [what, demands, expected, params] of wrong) {
      it(`refuses a certificate ${what}`, async () => {
        await using broker = await start(certificates, demands);
        expect(await failure(broker.port, { ...params(certificates) })).to.match(expected);
      });
    }

    it('says what is wrong with its own certificate and key', async () => {
      await using broker = await start(certificates, { mutual: true });
      const { port } = broker;
      const ca = certificates.base64('ca');
      const cert = certificates.base64('client');
      const stranger = { cert: certificates.base64('stranger'), key: certificates.base64('stranger-key') };
      const locked = certificates.base64('locked');
      expect(await failure(port, { ca })).to.match(/wants a certificate of this client/);
      // A server of Node closes the connection without a reason.
      const refusal =
        name === 'aedes' ? /closed the connection/ : /does not accept the certificate in "cert"/;
      expect(await failure(port, { ca, ...stranger })).to.match(refusal);
      expect(await failure(port, { ca, cert, key: locked, keypass: 'wrong' })).to.match(
        /"keypass" is not it/,
      );
      expect(await failure(port, { ca, cert, key: locked })).to.match(
        /has a password, and "keypass" is not it/,
      );
      expect(await failure(port, { ca, cert, key: stranger.key })).to.match(
        /does not belong to the certificate/,
      );
    });

    it('takes any certificate without a CA where that is set, and warns of it once', async () => {
      await using broker = await start(certificates, { certificate: 'elsewhere' });
      const params = { host: '127.0.0.1', port: broker.port, ssl: true, ssl_without_ca: true };
      await using run = await startNode(params);
      await until('the node is connected', () => run.links.includes(LinkState.CONNECTED));
      const warned = run.lines.filter((line) => line.includes('over TLS without "ca"'));
      expect(warned).to.have.lengthOf(1);
      expect(warned[0]).to.include(`127.0.0.1:${broker.port}`);
    });

    it('says once why TLS fails, however often it tries', async () => {
      await using broker = await start(certificates, {});
      const ca = certificates.base64('other');
      await using run = await startNode({ host: '127.0.0.1', port: broker.port, ssl: true, ca }, 50);
      const tries = (): number => run.links.filter((link) => link === LinkState.DISCONNECTED).length;
      await until('it has tried four times', () => tries() >= 4);
      expect(run.lines.filter((line) => line.includes('authority in "ca"'))).to.have.lengthOf(1);
    });

    it('says so when a file is not PEM', async () => {
      await using broker = await start(certificates, {});
      const nonsense = Buffer.from('nonsense').toString('base64');
      expect(await failure(broker.port, { ca: nonsense })).to.match(/not a PEM file|authority in "ca"/);
      const ca = certificates.base64('ca');
      expect(await failure(broker.port, { ca, cert: nonsense, key: nonsense })).to.match(/not a PEM file/);
    });
  });
}

const secured = hasOpenssl && hasMosquitto;
const title = `a mosquitto with passwords${secured ? '' : ' (skipped: it needs mosquitto and openssl)'}`;
(secured ? describe : describe.skip)(title, () => {
  it('takes user and password, in the open and over TLS, and its refusal is told', async () => {
    using certificates = Certificates.make();
    const passwords = join(certificates.folder, 'passwords');
    const made = spawnSync('mosquitto_passwd', ['-c', '-b', passwords, 'user', 'secret']);
    expect(made.status, String(made.stderr)).to.equal(0);
    const lines = [`password_file ${passwords}`, 'allow_anonymous false'];
    await using open = await mosquittoBroker(lines);
    await using encrypted = await mosquittoBroker([
      ...lines,
      `certfile ${certificates.path('broker')}`,
      `keyfile ${certificates.path('broker-key')}`,
    ]);
    const ca = certificates.base64('ca');
    for (const version of [4, 5]) {
      for (const [port, tls] of [
        [open.port, { ssl: false }],
        [encrypted.port, { ssl: true, ca }],
      ] as const) {
        const params = { ...tls, version, username: 'user' };
        expect(await failure(port, { ...params, password: 'secret' })).to.equal(undefined);
        expect(await failure(port, { ...params, password: 'wrong' })).to.match(/not authorized/i);
        expect(await failure(port, { ...tls, version })).to.match(/not authorized/i);
      }
    }
  });

  it('that speaks no TLS is told from one that is away', async () => {
    using certificates = Certificates.make();
    await using broker = await mosquittoBroker();
    const ca = certificates.base64('ca');
    expect(await failure(broker.port, { ca })).to.match(/does not speak TLS|closed|disconnected|ECONNRESET/);
    expect(await failure(await freePort(), { ca })).to.match(/ECONNREFUSED/);
  });
});
