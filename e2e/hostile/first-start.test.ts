import { readFile, stat } from 'node:fs/promises';
import { request } from 'node:https';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { ErrorCode } from '@tagway/schemas';
import { expect } from 'chai';
import { Child } from '../kit/child.ts';
import { Client } from '../kit/client.ts';
import { useFolder } from '../kit/folder.ts';
import { Gateway } from '../kit/gateway.ts';
import { tagway } from '../kit/installed.ts';
import { command } from '../kit/standalone.ts';
import { until } from '../kit/until.ts';

/** An address of this machine that is not the loopback address. */
const [outside] = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .filter(({ family, internal }) => family === 'IPv4' && !internal)
  .map(({ address }) => address);

describe('the first start', function () {
  this.timeout(60_000);
  const folder = useFolder('first', 'test');
  let data: string;

  beforeEach(() => (data = folder()));

  /** Runs a gateway on every address while `work` uses it. */
  async function withGateway(
    args: readonly string[],
    environment: Readonly<Record<string, string>>,
    work: (gateway: Child, port: number) => Promise<void>,
  ): Promise<void> {
    const pairs = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
    const gateway = await Child.start(
      'env',
      [...pairs, process.execPath, Gateway.main, '--data', data, '--host', '0.0.0.0', '--port', '0', ...args],
      { ready: /listens on https?:\/\/0\.0\.0\.0:(\d+)/, group: true },
    );
    try {
      await work(gateway, Number(gateway.match?.[1]));
    } finally {
      const { code } = await gateway.stop('SIGTERM', 20_000);
      gateway.release();
      expect(code, gateway.output).to.equal(0);
    }
  }

  async function login(
    address: string,
    port: number,
    pass: string,
  ): Promise<{ status: number; text: string }> {
    const client = new Client(`http://${address}:${port}`);
    const reply = await client.call('POST', '/login', { name: 'admin', pass });
    client.close();
    return reply;
  }

  const elsewhere =
    outside === undefined ? ' (skipped: this machine has no address but the loopback one)' : '';
  it(`lets nobody in from elsewhere with the default password until it is changed${elsewhere}`, async function () {
    if (outside === undefined) this.skip();
    await withGateway([], {}, async (_, port) => {
      const refused = await login(outside, port, '0000');
      expect(refused.status).to.equal(401);
      expect(refused.text)
        .to.include(`"error":${ErrorCode.CREDENTIALS_INVALID}`)
        .and.include('TAGWAY_ADMIN_PASSWORD');
      const client = await new Client(`http://127.0.0.1:${port}`).login();
      await client.ok('POST', '/password', { name: 'admin', old_pass: '0000', new_pass: 'changed' });
      client.close();
      expect((await login(outside, port, 'changed')).status).to.equal(200);
    });
  });

  it(`has the password that the environment gives, while nobody has set another${elsewhere}`, async function () {
    if (outside === undefined) this.skip();
    const given = (password: string) => ({ TAGWAY_ADMIN_PASSWORD: password });
    await withGateway([], given('from-env'), async (gateway, port) => {
      expect((await login(outside, port, '0000')).status).to.equal(401);
      expect((await login('127.0.0.1', port, '0000')).status).to.equal(401);
      expect((await login(outside, port, 'from-env')).status).to.equal(200);
      expect(gateway.output).not.to.include('from-env');
    });
    await withGateway([], given('another'), async (_, port) => {
      expect((await login(outside, port, 'another')).status).to.equal(401);
      expect((await login(outside, port, 'from-env')).status).to.equal(200);
    });
    await command(data, process.execPath, Gateway.main, '--data', data, '--reset-password');
    await withGateway([], given('another'), async (_, port) => {
      expect((await login(outside, port, 'another')).status).to.equal(200);
    });
  });

  it('refuses a password from the environment that is none', async () => {
    const error: unknown = await withGateway(
      [],
      { TAGWAY_ADMIN_PASSWORD: 'abc' },
      async () => undefined,
    ).catch((reason: unknown) => reason);
    expect(String(error))
      .to.include('ended with code 1')
      .and.include('TAGWAY_ADMIN_PASSWORD cannot be the password of admin. A password has 4 to');
  });

  /** Fingerprint of the certificate that the API presents. */
  function presented(port: number): Promise<string> {
    return new Promise((resolve, reject) => {
      const options = { method: 'POST', rejectUnauthorized: false, agent: false, timeout: 5_000 } as const;
      const sent = request(`https://127.0.0.1:${port}/api/v2/ping`, options, (reply) => {
        const socket: unknown = reply.socket;
        const { fingerprint256 } = (socket as Pick<TLSSocket, 'getPeerCertificate'>).getPeerCertificate();
        reply.resume().on('end', () => resolve(fingerprint256));
      });
      sent.on('error', reject).end();
    });
  }

  it('makes a certificate with --tls auto, prints its fingerprint, and uses it again', async () => {
    const said: string[] = [];
    const environment = { TAGWAY_ADMIN_PASSWORD: 'from-env' };
    for (let round = 0; round < 2; round++) {
      await withGateway(['--tls', 'auto'], environment, async (gateway, port) => {
        const printed = await until(
          'the fingerprint is printed',
          () => /The SHA-256 fingerprint of its certificate is ([0-9A-F:]{95})/.exec(gateway.output)?.[1],
        );
        expect(await presented(port)).to.equal(printed);
        said.push(printed);
        const log = await readFile(join(data, 'logs', 'tagway.log'), 'utf8');
        expect(log).to.include(`SHA-256 fingerprint ${printed}`);
        if (round > 0) return;
        // The command knows the certificate through the data folder.
        const password = { TAGWAY_PASSWORD: 'from-env' };
        const { stdout: list } = await tagway(['plugin', 'list', '--data', data], password);
        expect(list).to.include('modbus-tcp');
        // And from elsewhere, by the file.
        const remote = ['--url', `https://127.0.0.1:${port}`, '--ca', join(data, 'tls', 'cert.pem')];
        expect((await tagway(['plugin', 'list', ...remote], password)).stdout).to.equal(list);
      });
    }
    expect(said[1]).to.equal(said[0]);
    for (const file of ['tls/cert.pem', 'tls/key.pem'])
      expect((await stat(join(data, file))).mode & 0o777, file).to.equal(0o600);
    const backup = join(data, 'backup.tgz');
    await command(data, process.execPath, Gateway.main, 'backup', backup, '--data', data);
    expect(await command(data, 'tar', '-tzf', backup)).to.include('tls/key.pem');
  });
});
