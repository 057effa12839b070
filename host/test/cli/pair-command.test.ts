import { ErrorCode } from '@tagway/schemas';
import { Fault } from '@tagway/sdk';
import { expect } from 'chai';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readCommand } from '../../src/config/config.ts';
import { leaveAddress } from '../../src/data/gateway-address.ts';
import { runPairCommand } from '../../src/cli/pair-command.ts';
import { startApi, type Fixture } from '../http/fixture.ts';
import { active, StagedPair, standby } from '../http/staged-pair.ts';

describe('tagway pair', function () {
  this.timeout(30_000);
  const pair = new StagedPair();
  let api: Fixture;
  let data: string;
  before(async () => {
    api = await startApi({ pair });
    data = await mkdtemp(join(tmpdir(), 'tagway-pair-'));
  });
  beforeEach(() => {
    pair.now = active;
    pair.refusal = undefined;
  });
  after(async () => {
    await api.close();
    await rm(data, { recursive: true });
  });

  const tagway = async (...words: string[]): Promise<string> => {
    const command = readCommand(['pair', ...words, '--data', data, '--password', '0000'], {});
    if (command.run !== 'pair') throw new Error('It is another command.');
    return runPairCommand(command.config, command.pair).catch(
      (error: unknown) => `! ${error instanceof Error ? error.message : String(error)}`,
    );
  };
  const url = (): string => `http://127.0.0.1:${api.port}`;

  it('says how the pair is', async () => {
    pair.now = standby;
    expect((await tagway('status', '--url', url())).split('\n')).to.deep.equal([
      'This gateway  west at http://10.0.0.1:7000, standby',
      'Active        east at http://10.0.0.2:7000',
      'Lease         renewed 212 ms ago',
      'Behind by     3 changes, 140 ms',
      'etcd          its majority answers',
      'Last switch   2026-09-21T14:13:20.000Z from west to east: It was asked to hand over.',
      'Is there      west at http://10.0.0.1:7000, 1.2.3, ready',
      'Is there      east at http://10.0.0.2:7000, 1.2.3, ready',
    ]);
  });

  it('hands over, at the gateway that runs on the data folder where no other is named', async () => {
    expect(await tagway('switch')).to.equal(
      `! No gateway runs on the data folder ${data}. Name the folder with --data, or the gateway with --url.`,
    );
    await leaveAddress(data, { url: url() });
    expect(await tagway('switch')).to.equal(
      '"west" has stopped its drivers, and hands the plant over to "east" at http://10.0.0.2:7000.',
    );
    expect(pair.reasons).to.have.length(1);
  });

  it('says why it does not, and which gateway to ask', async () => {
    pair.refusal = new Fault(ErrorCode.COMMAND_FAILED, 'The other gateway is not there.');
    expect(await tagway('switch', '--url', url())).to.equal(
      `! The gateway at ${url()} refuses with error 1014. The other gateway is not there.`,
    );
    pair.now = standby;
    expect(await tagway('switch', '--url', url())).to.include('"east" at http://10.0.0.2:7000 is active.');
    const alone = await startApi();
    expect(await tagway('status', '--url', `http://127.0.0.1:${alone.port}`)).to.equal(
      '! The gateway belongs to no pair: it was started without --pair.',
    );
    await alone.close();
  });
});
