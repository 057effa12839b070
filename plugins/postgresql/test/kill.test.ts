import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { until } from '@tagway/testkit';
import { hasPostgres, postgres, PostgresServer } from '@tagway/testkit/postgres-server';

/** Kills of node and server in turns; `KILLS=20` is the long form. */
const kills = Number(process.env['KILLS'] ?? 2);

/** Milliseconds. What a killed node may lose is younger, with a write that was under way; machines that are busy get some more. */
const mayLose = 1500;

/** A node that delivers until it is killed or ended. */
class DeliveringNode {
  readonly #process: ChildProcess;
  /** When each value was printed, by the value: milliseconds of `performance.now()`. */
  readonly delivered: Map<number, number>;

  constructor(folder: string, port: number, delivered: Map<number, number>) {
    const first = Math.max(-1, ...delivered.keys()) + 1;
    const program = fileURLToPath(new URL('killed-node.ts', import.meta.url));
    this.delivered = delivered;
    this.#process = spawn(
      process.execPath,
      [...process.execArgv, program, folder, String(port), String(first)],
      {
        stdio: ['pipe', 'pipe', 'inherit'],
      },
    );
    let rest = '';
    this.#process.stdout!.on('data', (bytes: Buffer) => {
      const lines = (rest + bytes.toString()).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) delivered.set(Number(line), performance.now());
    });
  }

  async kill(): Promise<void> {
    this.#process.kill('SIGKILL');
    await once(this.#process, 'close');
  }

  async end(): Promise<void> {
    const closed = once(this.#process, 'close');
    this.#process.stdin!.end();
    await closed;
  }
}

(hasPostgres ? describe : describe.skip)(`kills: ${postgres}`, () => {
  it(`of node and server in turns, ${kills} of them, lose nothing that was there a second before, and store nothing twice`, async function () {
    this.timeout(20_000 + kills * 10_000);
    await using server = await PostgresServer.start();
    const folder = await mkdtemp(join(tmpdir(), 'tagway-killed-'));
    const delivered = new Map<number, number>();
    const killed: number[] = [];
    try {
      let node = new DeliveringNode(folder, server.port, delivered);
      for (let kill = 0; kill < kills; kill++) {
        const before = delivered.size;
        await until('it delivers', () => delivered.size > before + 200);
        await sleep(Math.random() * 1000);
        if (kill % 2 === 0) {
          await server.kill('SIGKILL');
          await sleep(1500);
          await server.resume();
        } else {
          await node.kill();
          killed.push(performance.now());
          node = new DeliveringNode(folder, server.port, delivered);
        }
      }
      await until('it delivers', () => delivered.size > 200);
      await node.end();
      // What the last run could not send any more is sent by the next one.
      node = new DeliveringNode(folder, server.port, delivered);
      const last = Math.max(...delivered.keys());
      const hasLast = `SELECT count(*) FROM tag_values WHERE int_value >= ${last} AND tag = 'tag0'`;
      await until('the last value is stored', async () => (await server.count(hasLast)) > 0);
      await node.end();
      const rows = await server.sql(
        `SELECT int_value, count(*) FROM tag_values WHERE tag = 'tag0' GROUP BY 1`,
      );
      const stored = new Set(rows.map(([value]) => Number(value)));
      const twice = rows.filter(([, count]) => count !== '1');
      const lost = [...delivered].filter(([value]) => value <= last && !stored.has(value));
      const ages = lost.map(([, at]) =>
        Math.min(...killed.map((kill) => kill - at).filter((age) => age >= 0)),
      );
      expect(twice, 'values that are there twice').to.deep.equal([]);
      expect(Math.max(0, ...ages), 'milliseconds from a lost value to the kill').to.be.lessThan(mayLose);
      const ordered = await server.sql(`SELECT int_value FROM tag_values WHERE tag = 'tag0' ORDER BY ctid`);
      const values = ordered.map(([value]) => Number(value));
      expect(values, 'the order').to.deep.equal(values.toSorted((one, other) => one - other));
      this.test!.title += `: of ${delivered.size} values ${lost.length} lost, at most ${Math.round(Math.max(0, ...ages))} ms old`;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
