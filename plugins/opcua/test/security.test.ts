import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { DataType } from '@tagway/sdk';
import { until } from '@tagway/testkit';
import { pointsOf, Fixture } from './fixture.ts';
import { Server } from './server.ts';

const SIGN = 1;
const ENCRYPT = 2;
const ANY = 1;

const int32 = pointsOf(['1!Numeric', DataType.INT32]).map((point) => ({ ...point, address: '1!1001' }));

describe('security of OPC UA sessions', function () {
  this.timeout(30_000);
  let server: Server;
  /** Certificates take long to make, so the tests share one node's folder. */
  let folder: string;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tagway-opcua-node-'));
    server = await Server.start({ secured: true });
  });
  after(async () => {
    await server?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  const reads = async (params: Record<string, unknown>): Promise<void> => {
    await using fixture = await Fixture.connected({ url: server.url, ...params }, folder);
    expect(await fixture.read(int32)).to.deep.equal([7]);
  };

  /** Starts a run that gets no session and returns what its log says then. */
  const refusal = async (params: Record<string, unknown>, at = server): Promise<string> => {
    await using fixture = new Fixture({ url: at.url, ...params }, folder);
    await fixture.driver.start();
    await until('the log says why', () => fixture.lines.length > 0);
    expect(fixture.isUp).to.equal(false);
    expect(await fixture.read(int32)).to.equal(3002);
    return fixture.lines.join('\n');
  };

  it('logs in without a name, and with name and password, plain', async () => {
    await reads({});
    await reads({ username: 'ada', password: 'secret' });
  });

  it('signs, and signs and encrypts, with every policy of the server', async () => {
    for (const mode of [SIGN, ENCRYPT]) {
      for (const policy of [0, 1, 2])
        await reads({
          trust: ANY,
          security_mode: mode,
          security_policy: policy,
          username: 'ada',
          password: 'secret',
        });
    }
  });

  it('makes one certificate and keeps it and its key to itself', () => {
    const own = join(folder, 'pki', 'own');
    expect(readdirSync(own).sort()).to.deep.equal(['certificate.der', 'private-key.pem']);
    expect(statSync(join(own, 'private-key.pem')).mode & 0o077).to.equal(0);
    const certificate = new X509Certificate(readFileSync(join(own, 'certificate.der')));
    expect(certificate.subjectAltName).to.match(/URI:urn:[^,]+:tagway:plant_1_/);
  });

  it('presents the certificate of the settings instead', async () => {
    const own = join(folder, 'pki', 'own');
    const cert = readFileSync(join(own, 'certificate.der'), 'base64');
    const key = readFileSync(join(own, 'private-key.pem'), 'base64');
    await using fixture = await Fixture.connected({
      url: server.url,
      trust: ANY,
      security_mode: ENCRYPT,
      cert,
      key,
    });
    expect(await fixture.read(int32)).to.deep.equal([7]);
    expect(readdirSync(join(fixture.folder, 'pki'))).to.not.include('own');
  });

  it('says that name or password are wrong, or that they are asked for', async () => {
    expect(await refusal({ username: 'ada', password: 'wrong' })).to.match(
      /refuses the user name or the password/,
    );
    expect(
      await refusal({ username: 'ada', password: 'wrong', security_mode: ENCRYPT, trust: ANY }),
    ).to.match(/refuses the user name or the password/);
  });

  it('says that the server does not offer the security that is asked for', async () => {
    expect(await refusal({ trust: ANY, security_mode: SIGN, security_policy: 3 })).to.match(
      /offers no endpoint with security Sign with Basic256\./,
    );
  });

  it('trusts no server by itself: keeps its certificate, says so, and goes on once an operator has moved it', async () => {
    const rejected = join(folder, 'pki', 'rejected');
    const trusted = join(folder, 'pki', 'trusted');
    expect(readdirSync(rejected)).to.deep.equal([]);
    await using fixture = new Fixture({ url: server.url, security_mode: ENCRYPT }, folder);
    fixture.record.sleepSpeed = 5;
    await fixture.driver.start();
    await until('the log says why', () => fixture.lines.length > 0);
    expect(fixture.lines[0]).to.match(
      /fingerprint [0-9A-F:]{59} is not trusted\. .* move .*rejected.*\.der to .*trusted/,
    );
    const [name = ''] = readdirSync(rejected);
    const pinned = readFileSync(join(rejected, name), 'base64');
    renameSync(join(rejected, name), join(trusted, name));
    await until('there is a session', () => fixture.isUp);
    expect(
      fixture.lines.filter((line) => line.includes('not trusted')),
      'said once',
    ).to.have.length(1);
    await fixture.stop();
    rmSync(join(trusted, name));
    await reads({ security_mode: SIGN, server_cert: pinned });
  });

  it('says that the server does not trust the gateway, and goes on once it does', async () => {
    await using strict = await Server.start({ secured: true, trusting: false, anonymous: false });
    const params = {
      url: strict.url,
      security_mode: ENCRYPT,
      trust: ANY,
      username: 'ada',
      password: 'secret',
    };
    await using fixture = new Fixture(params, folder);
    fixture.record.sleepSpeed = 5;
    await fixture.driver.start();
    await until('the log says why', () => fixture.lines.length > 0);
    expect(fixture.lines[0]).to.match(
      /does not trust the gateway's certificate\. It is in .*certificate\.der/,
    );
    const rejected = join(strict.pki, 'rejected');
    for (const name of readdirSync(rejected))
      renameSync(join(rejected, name), join(strict.pki, 'trusted', 'certs', name));
    // The server looks at its folders when it starts.
    await strict.kill();
    await strict.start();
    await until('there is a session', () => fixture.isUp);
    expect(await refusal({}, strict)).to.match(/asks for a user name and a password/);
  });

  it('refuses an expired certificate with both times in the message, unless any is trusted', async () => {
    await using expired = await Server.start({ secured: true, expired: true });
    expect(await refusal({ security_mode: SIGN }, expired)).to.match(
      /is valid from 2020-01-01T.* to 2020-01-31T.*, and the clock of this gateway says 20.*Z\. Renew/,
    );
    await using fixture = await Fixture.connected(
      { url: expired.url, security_mode: SIGN, trust: ANY },
      folder,
    );
    expect(await fixture.read(int32)).to.deep.equal([7]);
  });
});
