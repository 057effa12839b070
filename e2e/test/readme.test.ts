import { execFile, spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { chmodSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { Attribute } from '@tagway/schemas';
import { hasMockCluster, MockCluster } from '@tagway/testkit/kafka-cluster';
import { MailServer } from '@tagway/testkit/mail-server';
import { hasPostgres, PostgresServer } from '@tagway/testkit/postgres-server';
import { expect } from 'chai';
import { addModbus, readValues, registerTags, stateOf } from '../kit/configure.ts';
import { useFolder } from '../kit/folder.ts';
import { freePort } from '../kit/free-port.ts';
import { Gateway } from '../kit/gateway.ts';
import { words } from '../world/devices.ts';
import { Collector } from '../world/collector.ts';
import { hasInfluxd, Influxd } from '../world/influxd.ts';
import { useNorthPlant } from '../world/plant.ts';
import { until } from '../kit/until.ts';
import { parseExact } from '../kit/json.ts';

/** Commands of a page, and what it says before them in a comment. */
interface Block {
  readonly name: string;
  readonly script: string;
  /** Why it is not run; undefined: it is. */
  readonly reason: string | undefined;
}

const root = join(import.meta.dirname, '../..');
const pages = globSync(['README.md', 'docs/**/*.md', 'deploy/README.md', 'plugins/*/README.md'], {
  cwd: root,
}).sort();

const hasScapy = spawnSync('/usr/bin/python3', ['-c', 'import scapy.contrib.scada.iec104']).status === 0;

const notRun = /<!-- Not run by the test of this file: ([^>]+?) -->\n\n$/;

/** Languages of blocks that are no commands. */
const others = new Set(['json', 'ts', 'mermaid', 'text', 'cel']);

/** All blocks that are not plainly something else than commands. */
function blocksOf(page: string): Block[] {
  const text = readFileSync(join(root, page), 'utf8');
  const blocks: Block[] = [];
  for (const { 1: language = '', 2: script = '', index } of text.matchAll(/^```(.*)\n([^]*?)^```$/gm)) {
    if (others.has(language)) continue;
    const line = text.slice(0, index).split('\n').length;
    const name = `${page}:${line}`;
    if (language !== 'sh')
      throw new Error(`The block ${name} is neither "sh" nor ${[...others].join(', ')}.`);
    blocks.push({ name, script, reason: notRun.exec(text.slice(0, index))?.[1] });
  }
  return blocks;
}

const pageOf = (name: string): string => name.replace(/:.*/, '');

const blocks = pages.flatMap(blocksOf);
const walk = blocks.find(({ name }) => name.startsWith('docs/api.md'));
/** What the blocks of plugins take from the walk-through: where the gateway is, and `api`. */
const login = walk?.script.slice(0, walk.script.indexOf('\n\n# A driver node')) ?? '';

function missingProgram(script: string): string | undefined {
  if (script.includes('INFLUX_PORT') && !hasInfluxd) return 'influxd';
  if (script.includes('KAFKA_PORT') && !hasMockCluster) return 'cluster of librdkafka';
  if (script.includes('scapy') && !hasScapy) return 'python3-scapy';
  return ['curl', 'git', 'mosquitto_sub', 'mosquitto_rr', 'psql', 'kcat', 'mbpoll'].find(
    (program) =>
      (program === 'curl' || script.includes(program)) && spawnSync(program, ['--help']).error !== undefined,
  );
}

describe('the commands of the READMEs and pages', function () {
  this.timeout(120_000);
  const { device, broker, gateway, client, subscriber } = useNorthPlant();
  const folder = useFolder('readme');

  let collector: Collector | undefined;
  let influxd: Influxd | undefined;
  let postgres: PostgresServer | undefined;
  let kafka: MockCluster | undefined;
  let iec104Port = 0;
  let modbusPort = 0;
  let mail: MailServer | undefined;

  before(async () => {
    // The command as it lies on the path of users.
    const command = folder('tagway');
    writeFileSync(command, `#!/bin/sh\nexec '${process.execPath}' '${Gateway.main}' "$@"\n`);
    chmodSync(command, 0o755);
    collector = await Collector.start();
    iec104Port = await freePort();
    modbusPort = await freePort();
    if (hasInfluxd) influxd = await Influxd.start();
    if (hasPostgres) postgres = await PostgresServer.start();
    if (hasMockCluster) kafka = await MockCluster.start();
    mail = await MailServer.start();
    const tags = registerTags(1, Attribute.READ | Attribute.WRITE, 101);
    await addModbus(client, 'modbus', { port: device.port, group: 'grp', tags });
  });

  after(async () => {
    await collector?.stop();
    await influxd?.stop();
    await postgres?.[Symbol.asyncDispose]();
    await kafka?.[Symbol.asyncDispose]();
    await mail?.[Symbol.asyncDispose]();
  });

  /** Runs commands in a shell to their end. Returns the lines that they wrote, and the error where the last one failed. */
  async function run(script: string): Promise<{ lines: string[]; failure: Error | undefined }> {
    const options = {
      env: {
        PATH: `${folder()}${delimiter}${process.env['PATH'] ?? ''}`,
        TMPDIR: folder(),
        BASE: gateway.url,
        DEVICE_PORT: String(device.port),
        BROKER_PORT: String(broker.port),
        HTTP_PORT: String(collector?.port),
        INFLUX_PORT: String(influxd?.port),
        POSTGRES_PORT: String(postgres?.port),
        KAFKA_PORT: String(kafka?.port),
        IEC104_PORT: String(iec104Port),
        MODBUS_PORT: String(modbusPort),
        SMTP_PORT: String(mail?.port),
      },
      timeout: 100_000,
    };
    const { stdout, failure } = await promisify(execFile)('sh', ['-c', script], options).then(
      (result) => ({ stdout: result.stdout, failure: undefined }),
      (error: unknown) => {
        const failed = error as Error & { readonly stdout: string };
        return { stdout: failed.stdout, failure: failed };
      },
    );
    // What runs in the background may write between a reply and the end of its line.
    const lines = stdout
      .trim()
      .replaceAll(/^(\{.*\})(?=spBv1\.0\/)/gm, '$1\n')
      .split('\n');
    return { lines, failure };
  }

  /** What must be true after a block, by its page. A block without an entry here is a failure. */
  const outcomes: Readonly<Record<string, (lines: readonly string[]) => Promise<void> | void>> = {
    'README.md': (lines) => {
      const [read] = repliesIn(lines).filter(({ tags }) => tags !== undefined);
      expect(read?.tags).to.deep.include({ name: 'temperature', value: 21.5 });
    },
    'docs/api.md': async (lines) => {
      const reads = repliesIn(lines).filter(({ tags }) => tags !== undefined);
      expect(reads[0]?.tags).to.deep.include({ name: 'temperature', value: 21.5 });
      expect(reads[1]?.tags).to.deep.include({ name: 'setpoint', value: 72.5 });
      expect(await device.registers(5, 2)).to.deep.equal(words('Float', 72.5));
      const { values } = await subscriber.upload(
        'plant/pump',
        (upload) => upload.values?.['setpoint'] === 72.5,
      );
      expect(values).to.include({ temperature: 21.5 });
      expect(await stateOf(client, 'pump')).to.include({ running: 3, link: 2 });
      expect(await stateOf(client, 'uplink')).to.include({ running: 3, link: 2 });
      await readValues(client, 'pump', 'fast');
      // The example of the app begins with a node of the same name.
      await client.ok('DELETE', '/node', { name: 'uplink' });
    },
    'docs/operate-many.md': (lines) => {
      if (lines.at(-1) === 'The gateway follows the repository.') return;
      const said = lines.filter((line) => /kiln/.test(line));
      expect(said).to.include('The node "kiln" is new.').and.to.include('The node "kiln" goes.');
      expect(lines.at(-1)).to.equal('The folder and the gateway are the same.');
    },
    'plugins/mqtt/README.md': async (lines) => {
      const [sample, reply] = repliesIn(lines).slice(3);
      expect(sample).to.include({ node: 'modbus', group: 'grp' });
      expect(reply).to.deep.equal({ uuid: '1', error: 0 });
      expect(await device.registers(100, 1)).to.deep.equal([7]);
    },
    'plugins/http/README.md': async () => {
      await until('a batch is posted', () => (collector?.posted.length ?? 0) > 0);
      const [{ url, headers, body } = { url: '', headers: {}, body: '[]' }] = collector?.posted ?? [];
      expect(url).to.equal('/samples');
      const mac = createHmac('sha256', 'secret').update(
        `${/t=(\d+)/.exec(String(headers['x-signature']))?.[1]}.`,
      );
      expect(headers['x-signature']).to.include(mac.update(body).digest('hex'));
      expect((JSON.parse(body) as object[])[0]).to.include({ node: 'modbus', group: 'grp' });
    },
    'plugins/iec104-server/README.md': async (lines) => {
      expect(lines.at(-1)).to.equal(`4001 ${(await device.registers(100, 1))[0]}`);
    },
    'plugins/influxdb/README.md': (lines) => {
      expect(lines.at(-1)).to.match(/"columns":\["time","tag0"\],"values":\[\["[^"]+",\d+\]\]/);
    },
    'plugins/modbus-server/README.md': async (lines) => {
      expect(await device.registers(100, 1)).to.deep.equal([42]);
      expect(lines.at(-1)).to.match(/^\[1\]:\s+42$/);
      expect(lines.join('\n')).to.include("tag('modbus/grp/tag0'),1,holding,1,INT16");
    },
    'plugins/notify/README.md': async () => {
      await until('the alarm is sent', () => (mail?.taken ?? 0) > 0);
      expect(mail?.messages[0]?.to).to.deep.equal(['duty@example.com']);
      expect(mail?.messages[0]?.mail.subject).to.equal('notify: 1 (high) alarms The tank is empty');
    },
    'plugins/link/README.md': async (lines) => {
      const [read] = repliesIn(lines).filter(({ tags }) => tags !== undefined);
      expect(read?.tags).to.deep.include({ name: 'twice', value: 42 });
      expect(await device.registers(149, 1)).to.deep.equal([42]);
    },
    'plugins/kafka/README.md': (lines) => {
      expect(lines.at(-1)).to.match(/^modbus\/grp \{.*"node":"modbus","group":"grp".*\}$/);
    },
    'plugins/postgresql/README.md': (lines) => {
      expect(lines.at(-1)).to.match(/^tag[0-9]+\|[0-9]+$/);
    },
    'plugins/sparkplugb/README.md': (lines) => {
      const births = lines.filter((line) => line.startsWith('spBv1.0/')).map((line) => line.split(' ')[0]);
      expect(births).to.deep.equal(['spBv1.0/plant/NBIRTH/line1', 'spBv1.0/plant/DBIRTH/line1/modbus']);
    },
  };

  for (const { name, script, reason } of blocks) {
    if (reason !== undefined) continue;
    const program = missingProgram(script);
    const title = `${name} runs as printed`;
    (program === undefined ? it : it.skip)(
      program ? `${title} (there is no ${program} here)` : title,
      async () => {
        const outcome = outcomes[pageOf(name)];
        if (outcome === undefined) throw new Error(`The test does not know what ${name} is to come to.`);
        await device.setRegisters(0, words('Float', 21.5));
        // Also a walk-through itself, because somebody may do one after the other in the same terminal.
        const { lines, failure } = await run(`${login}\n${script}`);
        // A call that was refused is why a later command fails.
        for (const reply of repliesIn(lines)) expect(reply.error ?? 0, lines.join('\n')).to.equal(0);
        if (failure !== undefined) throw failure;
        await outcome(lines);
      },
    );
  }

  it('are run, or say why not', () => {
    expect(login).to.include('api()');
    const run = blocks.filter(({ reason }) => reason === undefined).map(({ name }) => pageOf(name));
    expect([...new Set(run)]).to.have.members(Object.keys(outcomes));
    for (const { script } of blocks) {
      for (const line of script.split('\n').filter((each) => each.includes('mosquitto_sub')))
        expect(line, 'ends by itself').to.match(/ -C \d+ .*-W \d+|-W \d+ .*-C \d+/);
    }
  });
});

function repliesIn(lines: readonly string[]): { error?: number; tags?: object[] }[] {
  return lines
    .filter((line) => line.startsWith('{'))
    .map((line) => parseExact(line) as { error?: number; tags?: object[] });
}
