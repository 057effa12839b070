import { ErrorCode } from '@tagway/schemas';
import { createSign, generateKeyPairSync } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { useGateway } from '../world/plant.ts';
import { until } from '../kit/until.ts';

describe('logins and tokens of others', function () {
  this.timeout(60_000);
  const { gateway, client } = useGateway();

  it('a token of an issuer whose key is put into the folder is good soon, without a restart', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const claims = { iss: 'portal', exp: Math.floor(Date.now() / 1000) + 600 };
    const text = `${base64({ alg: 'RS256', typ: 'JWT' })}.${base64(claims)}`;
    const authorization = `Bearer ${text}.${createSign('RSA-SHA256').update(text).sign(privateKey, 'base64url')}`;
    const answer = async () =>
      (await client.call('GET', '/node/state', undefined, { authorization })).body.error ?? 0;
    expect(await answer()).to.equal(ErrorCode.TOKEN_UNDECODABLE);
    await mkdir(join(gateway.data, 'issuers'));
    await writeFile(
      join(gateway.data, 'issuers/portal.pub'),
      publicKey.export({ type: 'spki', format: 'pem' }),
    );
    await until('the token is good', async () => (await answer()) === 0);
  });

  it('wrong passwords become slow, the right one works all the same, and others notice nothing', async () => {
    const login = async (name: string, pass: string): Promise<[code: number, took: number]> => {
      const begin = performance.now();
      const { body } = await client.call('POST', '/login', { name, pass });
      return [body.error ?? 0, performance.now() - begin];
    };
    for (let i = 0; i < 7; i++)
      expect((await login('admin', 'wrong'))[0]).to.equal(ErrorCode.CREDENTIALS_INVALID);
    const [wrong, took] = await login('admin', 'wrong');
    expect(wrong).to.equal(ErrorCode.CREDENTIALS_INVALID);
    expect(took).to.be.greaterThan(900);
    expect((await login('nobody', 'wrong'))[0]).to.equal(ErrorCode.CREDENTIALS_INVALID);
    expect((await login('admin', '0000'))[0]).to.equal(0);
  });
});
