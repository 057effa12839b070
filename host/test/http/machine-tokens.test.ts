import { ErrorCode, type Role } from '@tagway/schemas';
import { checkOf } from '@tagway/schemas/validate';
import { expect } from 'chai';
import { startApi, type Fixture } from './fixture.ts';

describe('tokens of machines', function () {
  this.timeout(30_000);
  let api: Fixture;
  before(async () => {
    api = await startApi();
  });
  after(() => api.close());

  const make = async (name: string, role: Role, days?: number): Promise<Record<string, string>> => {
    const answer = await api.call('POST /api/v2/tokens', { name, role, ...(days !== undefined && { days }) });
    expect(checkOf('AddTokenReply')(answer.body), answer.text).to.equal(undefined);
    return { Authorization: `Bearer ${(answer.body as { token: string }).token}` };
  };
  const list = async () => {
    const answer = await api.call('GET /api/v2/tokens');
    expect(checkOf('TokensReply')(answer.body), answer.text).to.equal(undefined);
    return (answer.body as { tokens: { name: string; expires: number; last_used?: number }[] }).tokens;
  };
  const errorOf = async (name: string, headers: Record<string, string>, body?: object): Promise<number> =>
    ((await api.call(name, body, headers)).body as { error?: number }).error ?? 0;

  it('open the API as far as their role goes', async () => {
    const scada = await make('scada', 'operator');
    expect(await errorOf('GET /api/v2/node?type=1', scada)).to.equal(0);
    expect(await errorOf('POST /api/v2/node/ctl', scada, { node: 'none', cmd: 0 })).to.equal(
      ErrorCode.NODE_NOT_FOUND,
    );
    const { status, text } = await api.call('POST /api/v2/node', { name: 'a', plugin: 'b' }, scada);
    expect([status, text]).to.deep.equal([
      403,
      '{"error":1022,"message":"POST /api/v2/node needs the role engineer; the token \\"scada\\" is operator."}',
    ]);
    expect((await api.call('GET /api/v2/users', undefined, scada)).body).to.deep.equal({
      users: [],
      self: { kind: 'token', name: 'scada', role: 'operator' },
    });
  });

  it('are listed with their end and their last use, without the token', async () => {
    const quiet = await make('quiet', 'viewer', 1);
    expect((await list()).find(({ name }) => name === 'quiet')).not.to.have.property('last_used');
    await errorOf('GET /api/v2/version', quiet);
    const listed = (await list()).find(({ name }) => name === 'quiet');
    expect(listed?.last_used).to.be.closeTo(Date.now(), 5000);
    expect(listed?.expires).to.be.closeTo(Date.now() + 86_400_000, 5000);
    const secret = String(quiet['Authorization']).slice('Bearer '.length);
    expect((await api.call('GET /api/v2/tokens')).text).not.to.include(secret);
  });

  it('are revoked at once, and a new one of the name is another', async () => {
    const one = await make('meter', 'viewer');
    expect(await errorOf('POST /api/v2/tokens', {}, { name: 'meter', role: 'viewer' })).to.equal(
      ErrorCode.USER_EXISTS,
    );
    expect(await errorOf('GET /api/v2/version', one)).to.equal(0);
    expect(await errorOf('DELETE /api/v2/tokens', {}, { name: 'meter' })).to.equal(0);
    expect(await errorOf('GET /api/v2/version', one)).to.equal(ErrorCode.TOKEN_INVALID);
    const two = await make('meter', 'viewer');
    expect(await errorOf('GET /api/v2/version', one)).to.equal(ErrorCode.TOKEN_INVALID);
    expect(await errorOf('GET /api/v2/version', two)).to.equal(0);
    expect(await errorOf('DELETE /api/v2/tokens', {}, { name: 'absent' })).to.equal(ErrorCode.USER_NOT_FOUND);
  });

  it('have an end of at most five years, and a role', async () => {
    for (const body of [
      { name: 'x', role: 'viewer', days: 1826 },
      { name: 'x', role: 'viewer', days: 0 },
      { name: 'x', role: 'boss' },
      { name: 'x' },
      { name: '', role: 'viewer' },
    ])
      expect(await errorOf('POST /api/v2/tokens', {}, body)).to.equal(ErrorCode.BODY_INVALID);
    expect(await errorOf('GET /api/v2/version', { Authorization: 'Bearer tgw_guess' })).to.equal(
      ErrorCode.TOKEN_INVALID,
    );
  });

  it('are made by admins alone, machines among them', async () => {
    const low = await make('low', 'engineer');
    const high = await make('high', 'admin');
    const body = { name: 'more', role: 'viewer' };
    expect(await errorOf('POST /api/v2/tokens', low, body)).to.equal(ErrorCode.USER_NOT_PERMITTED);
    expect(await errorOf('GET /api/v2/tokens', low)).to.equal(ErrorCode.USER_NOT_PERMITTED);
    expect(await errorOf('POST /api/v2/tokens', high, body)).to.equal(0);
  });
});
