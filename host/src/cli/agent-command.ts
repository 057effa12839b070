import { hostname } from 'node:os';
import { type Config, readCommand } from '../config/config.ts';
import { agentVariable } from '../pair/agent/agent-variable.ts';
import type { KernelGate } from '../pair/agent/kernel-gate.ts';

/** In a pair this process is the agent of its gateway, and starts the host. False: there is no pair, or it has an agent already. */
export async function runAgent(): Promise<boolean> {
  if (process.env[agentVariable] !== undefined) return false;
  const config = gatewayConfig();
  if (config?.pair === undefined) return false;
  process.umask(0o077);
  // Loaded here alone: a gateway without a pair does without it.
  const { Agent } = await import('../pair/agent/agent.ts');
  const { etcdOf } = await import('../pair/etcd/etcd-files.ts');
  const { KernelGate } = await import('../pair/agent/kernel-gate.ts');
  const { FolderLock } = await import('../pair/agent/folder-lock.ts');
  const { checkPair } = await import('../pair/pair-folder.ts');
  const makeGate = (): KernelGate => KernelGate.make(config.data, report);
  const { pair, name, safe, data } = config;
  // They may lead to a file on a full disk, or to a reader that is gone.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  const report = (sentence: string): void => void process.stderr.write(`${sentence}\n`);
  // Before the gate is made, which takes the place of the one of an agent that runs.
  if ((await FolderLock.take(data)) === undefined) {
    report(`Another gateway runs on the data folder ${data}. Stop it first.`);
    process.exit(1);
  }
  let agent: InstanceType<typeof Agent>;
  try {
    checkPair(data, pair.id);
    agent = new Agent({
      etcd: etcdOf(pair),
      pair: pair.id,
      name,
      url: pair.url ?? urlOf(config),
      safe,
      report,
      gate: gateOf(makeGate, report),
    });
  } catch (error) {
    report(error instanceof Error ? error.message : String(error));
    process.exit(1);
  }
  process.on('SIGINT', () => agent.end());
  process.on('SIGTERM', () => agent.end());
  if (config.tls !== undefined) process.on('SIGHUP', () => agent.signal('SIGHUP'));
  process.exit(await agent.run());
}

/** Undefined for every other command, and for one that cannot be read, which `runCommand` reports. */
function gatewayConfig(): Config | undefined {
  try {
    const command = readCommand(process.argv.slice(2), process.env);
    return command.run === 'gateway' ? command.config : undefined;
  } catch {
    return undefined;
  }
}

/** Undefined where the host has to find it out, because it takes a free port or listens on one address alone. */
function urlOf({ host, port, tls }: Config): string | undefined {
  if (port === 0 || !['0.0.0.0', '::'].includes(host)) return undefined;
  return `${tls === undefined ? 'http' : 'https'}://${hostname()}:${port}`;
}

function gateOf(make: () => KernelGate, report: (sentence: string) => void): KernelGate | undefined {
  try {
    return make();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    report(
      `The pair goes without a gate in the kernel, which would drop what a driver that was stopped sends late. ${reason}`,
    );
    return undefined;
  }
}
