import { spawnSync } from 'node:child_process';
import { Child } from '../kit/child.ts';

export const hasSocat = spawnSync('socat', ['-V'], { stdio: 'ignore' }).status === 0;

/** A cable between a serial port, which comes to be at this path, and what listens at this port of 127.0.0.1. Needs socat. */
export async function layCable(device: string, port: number): Promise<{ stop(): Promise<void> }> {
  const ends = [`PTY,rawer,link=${device}`, `TCP:127.0.0.1:${port},nodelay`];
  const cable = await Child.start('socat', ['-d', '-d', ...ends], { ready: /starting data transfer loop/ });
  return { stop: () => cable.stop().then(() => undefined) };
}
