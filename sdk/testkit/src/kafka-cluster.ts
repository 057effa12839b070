import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

const python = '/usr/bin/python3';
const run = promisify(execFile);

/** librdkafka's own cluster of one broker, on a port that it prints. It ends with its input. */
const program = `
import sys
from confluent_kafka import Producer

producer = Producer({"test.mock.num.brokers": 1})
broker = next(iter(producer.list_topics(timeout=10).brokers.values()))
print(f"{broker.host}:{broker.port}", flush=True)
sys.stdin.read()
`;

export const hasMockCluster =
  spawnSync(python, ['-c', 'import confluent_kafka']).status === 0 && spawnSync('kcat', ['-V']).status === 0;
export const kafka = hasMockCluster
  ? "librdkafka's mock cluster"
  : "librdkafka's mock cluster (skipped: it needs python3-confluent-kafka and kcat)";

export interface Consumed {
  readonly key: string;
  readonly headers: string;
  readonly time: number;
  readonly value: string;
}

/** A cluster of librdkafka, which other clients of librdkafka read. It forgets everything when it ends. */
export class MockCluster implements AsyncDisposable {
  readonly port: number;
  readonly #process: ChildProcess;

  private constructor(child: ChildProcess, port: number) {
    this.#process = child;
    this.port = port;
  }

  static async start(): Promise<MockCluster> {
    const child = spawn(python, ['-c', program], { stdio: ['pipe', 'pipe', 'ignore'] });
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    return new MockCluster(child, Number(line.toString().trim().split(':').at(-1)));
  }

  /** All records of a topic, in the order of its partitions. */
  async consume(topic: string): Promise<Consumed[]> {
    const broker = `127.0.0.1:${this.port}`;
    const format = '%k\x1f%h\x1f%T\x1f%s\x1e';
    const options = ['-C', '-b', broker, '-t', topic, '-e', '-q', '-f', format];
    const { stdout } = await run('kcat', options, { maxBuffer: 1 << 28 }).catch(() => ({ stdout: '' }));
    return stdout
      .split('\x1e')
      .filter((record) => record !== '')
      .map((record) => {
        const [key = '', headers = '', time = '', value = ''] = record.split('\x1f');
        return { key, headers, time: Number(time), value };
      });
  }

  /** Follows a topic, so that what the cluster drops at 5 MB of it is read before. */
  follow(topic: string): Followed {
    return new Followed(`127.0.0.1:${this.port}`, topic);
  }

  /** It takes connections and answers nothing until it goes on. */
  pause(): void {
    this.#process.kill('SIGSTOP');
  }

  goOn(): void {
    this.#process.kill('SIGCONT');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const ended = once(this.#process, 'exit');
    this.#process.kill('SIGKILL');
    await ended;
  }
}

/** Times of the records of a topic, in the order in which they came, each record once. */
export class Followed implements Disposable {
  readonly times: number[] = [];
  readonly #ids = new Set<string>();
  readonly #process: ChildProcess;

  constructor(broker: string, topic: string) {
    const options = ['-C', '-b', broker, '-t', topic, '-o', 'beginning', '-q', '-u', '-f', '%h\x1f%T\n'];
    // It outlives a broker that is away, and is back before the broker drops what it has not read.
    options.push('-E', '-X', 'reconnect.backoff.max.ms=200');
    this.#process = spawn('kcat', options, { stdio: ['ignore', 'pipe', 'ignore'] });
    createInterface(this.#process.stdout!).on('line', (line) => this.#take(line));
  }

  [Symbol.dispose](): void {
    this.#process.kill('SIGKILL');
  }

  #take(line: string): void {
    const [id = '', time = ''] = line.split('\x1f');
    if (this.#ids.has(id)) return;
    this.#ids.add(id);
    this.times.push(Number(time));
  }
}
