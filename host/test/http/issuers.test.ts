import { ErrorCode, dialects } from '@tagway/schemas';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import jsonwebtoken from 'jsonwebtoken';
import { Issuers } from '../../src/http/auth/issuers.ts';
import { startApi, type Fixture } from './fixture.ts';

const rsa = () => generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = (key: KeyObject): string => key.export({ type: 'spki', format: 'pem' }) as string;

describe('a token of another issuer', function () {
  this.timeout(20_000);
  let folder: string;
  let api: Fixture;
  const first = rsa();
  const second = rsa();

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tagway-issuers-'));
    await mkdir(join(folder, 'keys'));
    await writeFile(join(folder, 'keys/plant.pem'), pem(first.publicKey));
    await writeFile(join(folder, 'keys/other.site.pub'), pem(second.publicKey));
    await writeFile(join(folder, 'outside.pem'), pem(first.publicKey));
    await writeFile(join(folder, 'keys/broken.pem'), 'nonsense');
    await writeFile(join(folder, 'keys/curve.pem'), pem(generateKeyPairSync('ed25519').publicKey));
    await writeFile(join(folder, 'keys/tagway.pem'), pem(first.publicKey));
    await writeFile(join(folder, 'keys/large.pem'), pem(first.publicKey) + ' '.repeat(70_000));
    api = await startApi({ issuers: new Issuers(join(folder, 'keys')) });
  });
  after(async () => {
    await api.close();
    await rm(folder, { recursive: true });
  });

  const answer = async (iss: unknown, key = first.privateKey, more: object = {}): Promise<string> => {
    const now = Math.floor(Date.now() / 1000);
    const token = jsonwebtoken.sign(
      JSON.parse(JSON.stringify({ iss, exp: now + 60, ...more })) as object,
      key,
      {
        algorithm: 'RS256',
      },
    );
    const { status, body } = await api.call('GET /api/v2/version', undefined, {
      Authorization: `Bearer ${token}`,
    });
    return `${status} ${String((body as { error?: number }).error ?? 0)}`;
  };

  it('is good when the file of exactly its name has its key', async () => {
    expect(await answer('plant')).to.equal('200 0');
    expect(await answer('other.site', second.privateKey)).to.equal('200 0');
  });

  it('is 1005 when another key signed it, or there is no such file', async () => {
    expect(await answer('plant', second.privateKey)).to.equal(`401 ${ErrorCode.TOKEN_UNDECODABLE}`);
    for (const iss of [
      'plan',
      'plant.pem',
      'other',
      'other.site.pub',
      'Plant',
      'plant\0',
      'absent',
      undefined,
      5,
    ])
      expect(await answer(iss), String(iss)).to.equal(`401 ${ErrorCode.TOKEN_UNDECODABLE}`);
  });

  it('is 1005 when its name leads out of the folder', async () => {
    const names = [
      '../outside',
      './plant',
      '/etc/ssl/cert',
      'keys/../plant',
      '..\\outside',
      '',
      '.',
      '..',
      'x'.repeat(300),
    ];
    for (const iss of names) expect(await answer(iss), iss).to.equal(`401 ${ErrorCode.TOKEN_UNDECODABLE}`);
  });

  it('is 1005 when the file holds no RSA key, or far too much', async () => {
    for (const iss of ['broken', 'curve', 'large'])
      expect(await answer(iss), iss).to.equal(`401 ${ErrorCode.TOKEN_UNDECODABLE}`);
  });

  it('cannot be the gateway’s own', async () => {
    expect(await answer('tagway')).to.equal(`401 ${ErrorCode.TOKEN_UNDECODABLE}`);
  });

  it('has times and an audience as the gateway’s own have', async () => {
    expect(await answer('plant', first.privateKey, { exp: undefined })).to.equal(
      `403 ${ErrorCode.TOKEN_INVALID}`,
    );
    expect(await answer('plant', first.privateKey, { exp: 1 })).to.equal(`403 ${ErrorCode.TOKEN_EXPIRED}`);
    expect(await answer('plant', first.privateKey, { nbf: Date.now() })).to.equal('403 1007');
    expect(await answer('plant', first.privateKey, { aud: 'someone' })).to.equal(
      `403 ${ErrorCode.TOKEN_NOT_VALID}`,
    );
    expect(await answer('plant', first.privateKey, { aud: 'tagway' })).to.equal('200 0');
    expect(await answer('plant', first.privateKey, { user: 'nobody' })).to.equal(
      `403 ${ErrorCode.TOKEN_INVALID}`,
    );
  });

  it('is not good any more soon after its key was replaced or removed, although it was', async () => {
    const file = join(folder, 'keys/moving.pem');
    await writeFile(file, pem(first.publicKey));
    const token = jsonwebtoken.sign({ iss: 'moving', exp: Date.now() }, first.privateKey, {
      algorithm: 'RS256',
    });
    const status = async (): Promise<number> => {
      const headers = { Authorization: `Bearer ${token}` };
      return (await api.call('GET /api/v2/version', undefined, headers)).status;
    };
    const becomes = async (wanted: number): Promise<void> => {
      for (let i = 0; i < 100 && (await status()) !== wanted; i++) await delay(50);
      expect(await status()).to.equal(wanted);
    };
    expect(await status()).to.equal(200);
    await writeFile(file, pem(second.publicKey));
    await becomes(401);
    await writeFile(file, pem(first.publicKey));
    await becomes(200);
    await rm(file);
    await becomes(401);
  });

  it('may do what the file with the role says, at most; without one it is a viewer’s', async () => {
    const file = join(folder, 'keys/other.site.role');
    const tokenOf = (more: object): string => {
      const claims = { iss: 'other.site', exp: Math.floor(Date.now() / 1000) + 60, ...more };
      return jsonwebtoken.sign(claims, second.privateKey, { algorithm: 'RS256' });
    };
    const self = async (more: object = {}): Promise<unknown> => {
      const token = tokenOf(more);
      const { body } = await api.call('GET /api/v2/users', undefined, { Authorization: `Bearer ${token}` });
      return (body as { self: unknown }).self;
    };
    const issuer = { kind: 'issuer', name: 'other.site' };
    expect(await self()).to.deep.equal({ ...issuer, role: 'viewer' });
    expect(await self({ role: 'admin' })).to.deep.equal({ ...issuer, role: 'viewer' });
    expect(await self({ user: 'admin' })).to.deep.equal({ kind: 'user', name: 'admin', role: 'viewer' });
    const take = await api.call(
      'PUT /api/v2/users',
      { name: 'admin', new_password: 'taken' },
      { Authorization: `Bearer ${tokenOf({ user: 'admin' })}` },
    );
    expect(take.body, 'an issuer does not do for a password').to.deep.equal({
      error: ErrorCode.USER_NOT_PERMITTED,
    });
    await writeFile(file, 'engineer\n');
    await delay(1100);
    expect(await self()).to.deep.equal({ ...issuer, role: 'engineer' });
    expect(await self({ role: 'operator' })).to.deep.equal({ ...issuer, role: 'operator' });
    expect(await self({ role: 'Editor' })).to.deep.equal({ ...issuer, role: 'viewer' });
    expect(await self({ user: 'admin' })).to.deep.equal({ kind: 'user', name: 'admin', role: 'engineer' });
    await api.call('POST /api/v2/users', { name: 'reader', password: 'secret', role: 'viewer' });
    expect(await self({ user: 'reader' })).to.deep.equal({ kind: 'user', name: 'reader', role: 'viewer' });
    await writeFile(file, 'engineers');
    await delay(1100);
    expect(await self()).to.deep.equal({ ...issuer, role: 'viewer' });
  });

  it('may all in the dialect of the family, as the first user or the one it names', async () => {
    const family = await startApi({ issuers: new Issuers(join(folder, 'keys')), dialect: dialects.family });
    const token = jsonwebtoken.sign({ iss: 'plant', exp: Date.now() }, first.privateKey, {
      algorithm: 'RS256',
    });
    const body = { name: 'by-issuer', password: 'secret' };
    const { status } = await family.call('POST /api/v2/users', body, { Authorization: `Bearer ${token}` });
    await family.close();
    expect(status).to.equal(200);
  });
});
