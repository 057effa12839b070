import { ErrorCode } from '@tagway/schemas';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Fault } from '@tagway/sdk';
import { expect } from 'chai';
import { LogFile } from '../../src/log/file.ts';
import { lineOf } from '../../src/log/line.ts';
import { createLog } from '../../src/log/log.ts';

describe('the log', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tagway-log-'));
  });

  afterEach(() => rm(folder, { recursive: true, force: true }));

  const linesOf = async (name = 'tagway.log'): Promise<string[]> =>
    (await readFile(join(folder, name), 'utf8')).split('\n').slice(0, -1);

  it('writes one line per entry, with UTC time, level, name, message and fields', async () => {
    const log = createLog({ folder, level: 'debug', stdout: false });
    const before = Date.now();
    log.core.notice('The gateway listens.', { port: 7000, host: 'a b', open: true, list: [1] });
    log.node('plc 1').fatal('Gone.', {
      error: new Fault(ErrorCode.DISCONNECTED, 'No link.'),
      name: 'x',
      level: 'y',
      message: 'z',
    });
    log.pino.info({ ms: 3 }, 'GET /');
    log.close();

    const [first = '', second, third, ...others] = await linesOf();
    const [, time, rest] = /^(.{23}) (.*)$/.exec(first) ?? [];
    expect(rest).to.equal('[NOTICE] gateway: The gateway listens. port=7000 host="a b" open=true list=[1]');
    expect(Date.parse(`${time?.replace(' ', 'T')}Z`)).to.be.within(before, Date.now());
    expect(second?.slice(24)).to.equal(
      '[FATAL] plc 1: Gone. error="No link. (error 3002)" name=x level=y message=z',
    );
    expect(third?.slice(24)).to.equal('[INFO] gateway: GET / ms=3');
    expect(others).to.deep.equal([]);
  });

  it('keeps the stack of an error that is no fault', async () => {
    const log = createLog({ folder, level: 'debug', stdout: false });
    log.core.error('Broken.', { err: new TypeError('x is not y') });
    log.close();
    expect((await linesOf())[0]).to.match(/Broken\. err="TypeError: x is not y\\n +at .*log\.test\.ts/);
  });

  it('has a level for itself and one for each node, which can change at any time', async () => {
    const log = createLog({ folder, level: 'warn', stdout: false });
    const node = log.node('a');
    const say = (text: string): void => {
      log.core.info(`core ${text}`);
      node.info(`node ${text}`);
      log.node('b').info(`other ${text}`);
    };
    say('1');
    log.levels.set('a', 'debug');
    say('2');
    log.levels.core = 'info';
    say('3');
    log.levels.reset('a');
    say('4');
    log.close();
    const texts = (await linesOf()).map((line) => line.split(': ')[1]);
    expect(texts).to.deep.equal(['node 2', 'core 3', 'node 3', 'core 4']);
    expect([log.levels.core, log.levels.of('a'), log.levels.of('b')]).to.deep.equal(['info', 'warn', 'warn']);
    expect(log.pino.isLevelEnabled('debug')).to.equal(false);
  });

  it('makes one harmless line of whatever a message holds', () => {
    const line = lineOf({
      time: 0,
      level: 'info',
      name: 'n\r\n',
      message: 'a\n1970-01-01 00:00:00.000 [FATAL] x: forged\u2028\x1b[31m\u0085',
      fields: { key: 'b\nc' },
    });
    expect(line).to.equal(
      '1970-01-01 00:00:00.000 [INFO] n\\u000d\\n: a\\n1970-01-01 00:00:00.000 [FATAL] x: forged\\u2028\\u001b[31m\\u0085 key="b\\nc"',
    );
    expect(lineOf({ time: 0, level: 'info', name: 'n', message: 'x'.repeat(100_000) })).to.have.lengthOf(
      8192,
    );
  });

  it('begins a new file when one is full and keeps the newest', async () => {
    const file = new LogFile(folder, { size: 100, count: 3 });
    for (let i = 0; i < 50; i++) file.write(`line ${String(i).padStart(4, '0')}`);
    file.close();
    expect((await readdir(folder)).sort()).to.deep.equal(['tagway.1.log', 'tagway.2.log', 'tagway.log']);
    const lines = [
      ...(await linesOf('tagway.2.log')),
      ...(await linesOf('tagway.1.log')),
      ...(await linesOf()),
    ];
    expect(lines).to.deep.equal(
      Array.from(
        { length: lines.length },
        (_, i) => `line ${String(50 - lines.length + i).padStart(4, '0')}`,
      ),
    );
    expect(lines.length).to.equal(10 + 10 + 10);
  });

  it('goes on in the file of the last run, after a line that a crash cut off', async () => {
    await writeFile(join(folder, 'tagway.log'), 'whole\ncut o');
    const file = new LogFile(folder);
    file.write('new');
    file.close();
    expect(await linesOf()).to.deep.equal(['whole', 'cut o', 'new']);
  });

  it('writes nothing when it goes on in that file, for the disk may be full', async () => {
    await writeFile(join(folder, 'tagway.log'), 'whole\ncut o');
    new LogFile(folder).close();
    expect(await readFile(join(folder, 'tagway.log'), 'utf8')).to.equal('whole\ncut o');
  });

  it('says in a sentence why there can be no log', async () => {
    await writeFile(join(folder, 'file'), '');
    expect(() => new LogFile(join(folder, 'file'))).to.throw(
      `The log cannot be written in the folder ${join(folder, 'file')}: there is a file of this name.`,
    );
  });
});
