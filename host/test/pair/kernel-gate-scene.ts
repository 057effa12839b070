/**
 * Runs in a network namespace of its own, and says how it went as a line of JSON: a process that sends all the time, in the group of the
 * gate, and what of it arrives.
 */
import { execFileSync, spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { KernelGate } from '../../src/pair/agent/kernel-gate.ts';

/** How many packets of each kind arrived meanwhile. */
interface Arrived {
  readonly tcp: number;
  readonly udp: number;
}

const sender = `
  const socket = require('node:dgram').createSocket('udp4');
  const [tcp, udp] = process.argv.slice(1).map(Number);
  process.stdin.once('data', () => {
    const stream = require('node:net').connect(tcp, '127.0.0.1');
    stream.on('error', () => process.exit(1));
    setInterval(() => { stream.write('x'); socket.send('x', udp, '127.0.0.1'); }, 5);
  });`;

async function scene(): Promise<object> {
  execFileSync('ip', ['link', 'set', 'lo', 'up']);
  const said: string[] = [];
  const gate = KernelGate.make(`/scene/${process.pid}`, (sentence) => said.push(sentence));
  const heard = { tcp: 0, udp: 0 };
  const server = createServer((socket) => socket.on('data', () => heard.tcp++)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const udp = createSocket('udp4').on('message', () => heard.udp++);
  udp.bind(0, '127.0.0.1');
  await once(udp, 'listening');
  const ports = [(server.address() as AddressInfo).port, udp.address().port].map(String);
  const child = spawn(process.execPath, ['-e', sender, ...ports], { stdio: ['pipe', 'ignore', 'ignore'] });
  const during = async (milliseconds: number): Promise<Arrived> => {
    heard.tcp = heard.udp = 0;
    await sleep(milliseconds);
    return { ...heard };
  };
  try {
    gate.add(child.pid ?? 0);
    child.stdin.write('go');
    const closed = await during(500);
    // The first packet of the connection was dropped; the kernel sends it again after a second.
    const begun = performance.now();
    let rounds = 0;
    while (performance.now() - begun < 2500) {
      gate.open(600);
      rounds++;
      await sleep(200);
    }
    const open = await during(300);
    await sleep(700);
    const timedOut = await during(500);
    gate.open(10_000);
    await sleep(1500);
    const again = await during(500);
    gate.shut();
    await sleep(100);
    const shut = await during(500);
    return { closed, open, timedOut, again, shut, rounds, said };
  } finally {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    gate[Symbol.dispose]();
    server.close();
    udp.close();
  }
}

if (process.argv[2] === 'probe') {
  KernelGate.make('/scene/probe', () => undefined)[Symbol.dispose]();
} else {
  process.stdout.write(`${JSON.stringify(await scene())}\n`);
  process.exit(0);
}
