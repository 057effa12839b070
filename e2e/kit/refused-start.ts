import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { Gateway } from './gateway.ts';

/** How a start ended: its exit code and what it wrote on its standard error. */
export interface Refusal {
  readonly code: number | null;
  readonly said: string;
}

/** Starts a gateway, or a command, that is expected to end by itself. */
export async function runGateway(...args: string[]): Promise<Refusal> {
  const child = spawn(process.execPath, [Gateway.main, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
  const timer = setTimeout(() => child.kill('SIGKILL'), 20_000);
  const [said, [code]] = await Promise.all([
    text(child.stderr),
    once(child, 'exit') as Promise<[number | null]>,
  ]);
  clearTimeout(timer);
  return { code, said };
}

/** One line of sentences and an exit code, and no trace of the code. */
export function expectRefusal({ code, said }: Refusal, what: RegExp): void {
  expect(said).to.match(what);
  expect(said.trimEnd(), said).to.match(/^[A-Z][^\n]*\.$/);
  expect(code).to.equal(1);
}
