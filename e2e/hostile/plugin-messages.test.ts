import { ErrorCode } from '@tagway/schemas';
import { expect } from 'chai';
import { mqttSettings, readGroup, readValues } from '../kit/configure.ts';
import { until } from '../kit/until.ts';
import { Observation } from './figures.ts';
import { rounds } from './length.ts';
import { UnrulyGateway } from './unruly.ts';

/** What the unruly driver sends, and what the log says of its runner. */
const rubbish: Readonly<Record<string, string>> = {
  nothing: 'sent a malformed message (object)',
  text: 'sent a malformed message (string)',
  'no-kind': 'sent a malformed message (unknown)',
  'kind-of-the-prototype': 'sent a malformed message (unknown)',
  'log-level': 'sent a malformed message (log)',
  'log-message': 'sent a malformed message (log)',
  'sample-without-group': 'sent a malformed message (sample)',
  'meter-value': 'sent a malformed message (meters)',
  meters: 'sent a malformed message (meters)',
  'link-state': 'sent a malformed message (link)',
  'refusal-without-fault': 'sent a malformed message (refused)',
  'request-of-nothing': 'sent a malformed message (request)',
  'answer-without-number': 'sent a malformed message (answer)',
  'answer-with-code-0': 'sent a malformed message (answer)',
  'numbers-that-are-too-many': 'sent a message that does not fit (sample)',
  'numbers-of-another-kind': 'sent a message that does not fit (sample)',
  'numbers-that-are-not-finite': 'sent a message that does not fit (sample)',
  'objects-that-are-none': 'sent a message that does not fit (sample)',
  'fault-with-code-0': 'sent a message that does not fit (sample)',
  'fault-of-no-column': 'sent a message that does not fit (sample)',
  'row-of-no-column': 'sent a message that does not fit (sample)',
  'time-that-is-none': 'sent a message that does not fit (sample)',
  'layout-of-its-own': 'sent a message that does not fit (sample)',
  bytes: 'sent a message of ',
  'short-bytes': 'sent bytes that are no message (',
  'a-gigabyte': 'sent a message of 1073741824 bytes, and 67108864 are allowed',
};

/** Several at once: each has a process. */
const atOnce = 9;

describe('a plugin that gets at the channel to the gateway and sends', function () {
  this.timeout(60_000 * rounds);
  let unruly: UnrulyGateway;
  let observation: Observation;

  before(async () => {
    unruly = await UnrulyGateway.start(Object.keys(rubbish));
    observation = await Observation.begin(unruly.gateway, unruly.client);
  });
  after(() => unruly?.dispose());

  const names = Object.keys(rubbish);
  for (let at = 0; at < names.length; at += atOnce) {
    const some = names.slice(at, at + atOnce);
    it(`${some.join(', ')}: its runner ends with a reason and comes back, the rest goes on`, async () => {
      for (let round = 0; round < rounds; round++) {
        await Promise.all(
          some.map(async (id) => {
            await unruly.add(id);
            await unruly.command(id, id);
            expect(await unruly.whyEnded(id), id).to.include(rubbish[id]);
          }),
        );
        await unruly.goesOn();
        await Promise.all(some.map((id) => readValues(unruly.client, id, 'group')));
        await Promise.all(some.map((id) => unruly.client.ok('DELETE', '/node', { name: id })));
        // Its runner ends then, and with it what it has failed so far: another node of its plugin is not made to wait for that.
        if (round < rounds - 1) await Promise.all(some.map((id) => unruly.ended(id)));
      }
    });
  }

  it('keeps nobody else waiting, and costs no more memory than the largest message that is allowed', async () => {
    const { pause, before, after } = await observation.end();
    expect(pause, 'milliseconds of the slowest answer').to.be.lessThan(2000);
    // A message of 64 MB is allowed. It is there in pieces, whole and as values, and what held it is garbage until the next collection.
    expect(after - before, 'megabytes').to.be.lessThan(320);
  });

  it('any of these: its node runs again when the gateway is started again', async () => {
    const [id = ''] = names;
    await unruly.add(id);
    await unruly.restartsWith(id);
  });
});

describe('a driver that writes tags of other nodes, in the name of whatever node', function () {
  this.timeout(30_000);
  const id = 'commander';
  let unruly: UnrulyGateway;

  before(async () => {
    unruly = await UnrulyGateway.start([id]);
    await unruly.client.ok('POST', '/node', { name: 'app', plugin: 'MQTT', params: mqttSettings(1) });
    await unruly.add(id);
  });
  after(() => unruly?.dispose());

  it('is refused: the other node goes on, and the audit has no write of anybody but the caller', async () => {
    expect((await unruly.command(id, 'command-others')).body, 'the misdeed').to.include({ error: 0 });
    // The answer to this comes after those to what the driver asked.
    expect((await unruly.command(id, 'nothing more')).body).to.include({ error: 0 });
    await unruly.goesOn();
    expect(await unruly.log()).to.not.include('The runner of the plugin "bystander"');
    const { entries } = await unruly.client.ok<{ entries: { kind: string }[] }>('GET', '/audit');
    expect(entries).to.not.deep.equal([]);
    expect(entries.filter(({ kind }) => kind === 'app')).to.deep.equal([]);
  });

  it('and runs again when the gateway is started again', () => unruly.restartsWith(id));
});

describe('a plugin whose faults have codes that no fault may have', function () {
  this.timeout(30_000);
  const id = 'coder';
  let unruly: UnrulyGateway;

  before(async () => {
    unruly = await UnrulyGateway.start([id]);
    await unruly.add(id);
  });
  after(() => unruly?.dispose());

  for (const code of [
    ...['code 0', 'code NaN', 'code 1e300', 'code undefined', 'code text', 'code -1', 'code 2001.5'],
  ]) {
    it(`such as ${code}: writes and reads fail with a code of the table and a short sentence`, async () => {
      const { body, text } = await unruly.command(id, code);
      expect(body, text).to.include({ error: ErrorCode.WRITE_FAILED });
      expect(text.length, text).to.be.lessThan(1500);
      expect(text).to.not.match(/\\u0000|\\n/);
      const tag = await until('the tag carries a fault', async () => {
        const tags = await readGroup(unruly.client, id, 'group');
        return tags.get('count')?.error === undefined ? undefined : tags.get('count');
      });
      expect(tag).to.deep.include({ name: 'count', error: ErrorCode.READ_FAILED });
      await unruly.goesOn();
    });
  }

  it('and one that is null fails too', async () => {
    const { body } = await unruly.command(id, 'null');
    expect(body).to.include({ error: ErrorCode.WRITE_FAILED });
  });

  it('and runs again when the gateway is started again', () => unruly.restartsWith(id));
});
