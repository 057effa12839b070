import tls from 'node:tls';
import { aedesBroker, Certificates } from '@tagway/mqtt-client/test';
import { problemsBy } from '@tagway/store/test';
import { expect } from 'chai';
import { LinkState } from '@tagway/sdk';
import { listenOn, until } from '@tagway/testkit';
import { azureDevice, renewAfter, sharedAccessSignature } from '../src/services.ts';
import { checkSettings } from '../src/settings.ts';
import { sampleOf, settingsOf, startNode, subscription } from './nodes.ts';

const key = 'MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=';
const azure = { service: 1, ssl: true, enable_topic: false };

describe('Azure IoT Hub', () => {
  it('gets a signature as the samples of its documents make it', () => {
    // Made by their Python: HMAC(b64decode(key), quote_plus(uri) + "\n" + ttl, sha256), all of it urlencoded.
    expect(sharedAccessSignature('myhub.azure-devices.net/devices/press-1', key, 1_700_003_600)).to.equal(
      'SharedAccessSignature sr=myhub.azure-devices.net%2Fdevices%2Fpress-1&sig=hJPaVHPx75SBMtka4FKl6jUx7LwIykgMoulmhy9p4hM%3D&se=1700003600',
    );
  });

  it('is understood from a connection string, and only from one of a device', () => {
    expect(azureDevice(`HostName=h;DeviceId=d;ModuleId=m;SharedAccessKey=${key}`)).to.deep.equal({
      host: 'h',
      device: 'd',
      module: 'm',
      key,
    });
    expect(azureDevice(`HostName=h;SharedAccessKeyName=owner;SharedAccessKey=${key}`)).to.equal(undefined);
    expect(azureDevice('HostName=h;DeviceId=d;SharedAccessKey=no key')).to.equal(undefined);
  });

  it('refuses settings that the hub would end the connection for', () => {
    const text = `HostName=hub;DeviceId=d;SharedAccessKey=${key}`;
    const problem = problemsBy(settingsOf, checkSettings, {
      host: 'hub',
      port: 8883,
      ...azure,
      'connection-string': text,
    });
    expect(problem({})).to.equal(undefined);
    expect(problem({ ssl: false })).to.include('takes TLS alone');
    expect(problem({ qos: 2 })).to.include('knows no QoS 2');
    expect(problem({ host: 'other' })).to.include('they have to be the same');
    expect(problem({ 'connection-string': 'HostName=hub' })).to.include('is not that of a device');
    expect(problem({ enable_topic: true })).to.include('"enable_topic" to false');
    expect(problem({ version: 5 })).to.include('"version" to 4');
    expect(problem({ retain: true })).to.include('"retain" to false');
  });

  it('is logged in to with a token for the connection, which is renewed before its end', async () => {
    using certificates = Certificates.make();
    const files = { cert: certificates.pem('broker'), key: certificates.pem('broker-key') };
    await using broker = await aedesBroker({ tls: files });
    const logins: { readonly id: string; readonly username: string; readonly password: string }[] = [];
    broker.aedes.authenticate = ({ id }, username = '', password, done) => {
      logins.push({ id, username, password: String(password) });
      done(null, true);
    };
    const topics: string[] = [];
    broker.aedes.on('publish', ({ topic }) => topics.push(topic));
    const text = `HostName=localhost;DeviceId=press-1;SharedAccessKey=${key}`;
    const settings = {
      host: 'localhost',
      port: broker.port,
      ca: certificates.base64('ca'),
      ...azure,
      'connection-string': text,
    };
    await using run = await startNode(settings, renewAfter / 2000);
    run.app.subscriptionsChanged([subscription]);
    run.deliver(sampleOf(1), subscription);
    await until('the sample is at the hub', () => topics.includes('devices/press-1/messages/events/'));
    await until('the token is renewed', () => logins.length >= 2);
    const [first, second] = logins;
    expect(first).to.include({ id: 'press-1', username: 'localhost/press-1/?api-version=2021-04-12' });
    const until1 = Number(/&se=(\d+)$/.exec(first?.password ?? '')?.[1]);
    expect(first?.password).to.equal(sharedAccessSignature('localhost/devices/press-1', key, until1));
    expect(Number(/&se=(\d+)$/.exec(second?.password ?? '')?.[1])).to.be.greaterThan(until1 + 2900);
    await until('it is connected again', () => run.link === LinkState.CONNECTED);
  });
});

describe('AWS IoT Core', () => {
  const aws = { service: 2, host: 'localhost', port: 443, ssl: true };

  it('needs the certificate of the client', () => {
    const problem = problemsBy(settingsOf, checkSettings, aws);
    expect(problem({})).to.include('set "cert" and "key"');
    expect(problem({ ssl: false })).to.include('takes TLS alone');
  });

  it('is told on port 443 that MQTT is meant', async () => {
    // Port 443 is for others here: what the node would say there is said to a server on another port.
    using certificates = Certificates.make();
    const { serviceBroker } = await import('../src/services.ts');
    const bare = {
      host: 'localhost',
      port: 443,
      clientId: 'c',
      username: undefined,
      password: undefined,
      version: 4,
      qos: 1,
      will: undefined,
    } as const;
    const { tls: own } = serviceBroker({ ...bare, tls: { ca: certificates.pem('ca') } }, { service: 2 }, 0);
    let offered: unknown;
    const server = tls.createServer({
      cert: certificates.pem('broker'),
      key: certificates.pem('broker-key'),
      ALPNCallback: ({ protocols }) => {
        offered = protocols;
        return 'x-amzn-mqtt-ca';
      },
    });
    const { port, ...end } = await listenOn(server);
    const socket = tls.connect({ host: 'localhost', port, ...own });
    await until('the handshake is over', () => socket.alpnProtocol !== null);
    expect(offered).to.deep.equal(['x-amzn-mqtt-ca']);
    expect(socket.alpnProtocol).to.equal('x-amzn-mqtt-ca');
    socket.destroy();
    await end[Symbol.asyncDispose]();
    const other = serviceBroker({ ...bare, port: 8883, tls: {} }, { service: 2 }, 0);
    expect(other.tls).to.deep.equal({});
  });
});
