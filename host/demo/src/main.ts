import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { hostFlags } from '@tagway/host/v8-flags';
import mqtt, { type MqttClient } from 'mqtt';
import { Broker } from './broker.ts';
import { Configuration, names } from './configure.ts';
import { Plant } from './plant.ts';
import { type Message, Screen } from './screen.ts';

const gatewayMain = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

/** The ports of the demo's device and broker, kept so that they are the same next time. */
interface Ports {
  readonly device: number;
  readonly broker: number;
}

/** The ports in the commands of the READMEs, for which no `export` line is needed. */
const usual: Ports = { device: 5020, broker: 1884 };
const usualUrl = 'http://127.0.0.1:7000';
/** Ports that are tried before the demo gives up. */
const mostPorts = 100;

const args = process.argv.slice(2);
const wantsDemo = !args.some((arg) =>
  ['--no-demo', '--help', '--version', '--safe', '--reset-password'].includes(arg),
);
const gatewayArgs = args.filter((arg) => arg !== '--no-demo');
const folder = resolve(valueOf('--data') ?? process.env['TAGWAY_DATA'] ?? '.data');
const marker = join(folder, 'demo.json');
if (!gatewayArgs.some((arg) => arg === '--data' || arg.startsWith('--data=')))
  gatewayArgs.push('--data', folder);

function valueOf(option: string): string | undefined {
  const joined = args.find((arg) => arg.startsWith(`${option}=`));
  return (
    joined?.slice(option.length + 1) ?? (args.includes(option) ? args[args.indexOf(option) + 1] : undefined)
  );
}

function startGateway(stdout: 'inherit' | 'pipe'): ChildProcess {
  return spawn(process.execPath, [...hostFlags, gatewayMain, ...gatewayArgs], {
    stdio: ['ignore', stdout, 'inherit'],
  });
}

/** Runs the gateway alone and ends with its exit code. */
async function runPlain(): Promise<void> {
  const gateway = startGateway('inherit');
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void gateway.kill(signal));
  const [code] = (await once(gateway, 'exit')) as [number | null];
  if (args.includes('--help'))
    process.stdout.write(
      '\nWith npm start, a new data folder begins with a demo; --no-demo leaves it out.\n',
    );
  process.exitCode = code ?? 1;
}

/** Listens on the port of last time, or on the first one after it that is not taken. Resolves with the port. */
async function listen(
  what: string,
  server: { listen(port: number): Promise<void> },
  first: number,
): Promise<number> {
  for (let port = first; ; port++) {
    try {
      await server.listen(port);
      return port;
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code === 'EADDRINUSE' && port < first + mostPorts - 1) continue;
      const tried = port === first ? `port ${port}` : `any port from ${first} to ${port}`;
      throw new Error(
        `${what} of the demo cannot listen on ${tried} of 127.0.0.1: ${message}. Start without it: npm start -- --no-demo`,
        { cause: error },
      );
    }
  }
}

function lastPorts(): Ports {
  try {
    return JSON.parse(readFileSync(marker, 'utf8')) as Ports;
  } catch {
    return usual;
  }
}

async function runDemo(): Promise<void> {
  const plant = new Plant();
  const broker = new Broker();
  const before = lastPorts();
  const ports = {
    device: await listen('The device', plant, before.device),
    broker: await listen('The broker', broker, before.broker),
  };
  const gateway = startGateway('pipe');
  let client: MqttClient | undefined;
  let ending = false;
  const end = async (code: number): Promise<void> => {
    if (ending) return;
    ending = true;
    if (gateway.exitCode === null && gateway.signalCode === null) {
      const exit = once(gateway, 'exit');
      gateway.kill('SIGTERM');
      await exit;
    }
    await client?.endAsync(true);
    await broker.close();
    await plant.close();
    process.exit(code);
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void end(0));
  gateway.on('exit', (code) => void end(code ?? 1));

  try {
    const url = await listening(gateway);
    // The gateway has made the folder, if it is new.
    writeFileSync(marker, JSON.stringify(ports));
    const configuration = new Configuration(url);
    if (await configuration.logIn()) await configuration.apply(ports.device, ports.broker);
    else
      process.stdout.write(
        'The password of admin has been changed, so the demo leaves the gateway as it is.\n',
      );
    greet(url, ports);
    client = await mqtt.connectAsync(`mqtt://127.0.0.1:${ports.broker}`);
    const screen = new Screen(process.stdout);
    client.on('message', (_topic, payload) => screen.show(JSON.parse(payload.toString()) as Message));
    await client.subscribeAsync(names.topic);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    await end(1);
  }
}

/** Resolves with the gateway's address once it says that it listens. */
async function listening(gateway: ChildProcess): Promise<string> {
  if (!gateway.stdout) throw new Error('The output of the gateway cannot be read.');
  const lines = createInterface({ input: gateway.stdout });
  return new Promise((resolvePromise, reject) => {
    lines.on('line', (line) => {
      const url = /https?:\/\/\S+:\d+/.exec(line)?.[0];
      if (url) resolvePromise(url);
      else process.stdout.write(`${line}\n`);
    });
    gateway.on('exit', () => reject(new Error('The gateway ended before it listened.')));
  });
}

/** What a terminal needs for the walks of the READMEs where a port is not the usual one. */
function walkOf(url: string, { device, broker }: Ports): string {
  const lines = [
    ...(url === usualUrl ? [] : [`export BASE=${url}`]),
    ...(device === usual.device ? [] : [`export DEVICE_PORT=${device}`]),
    ...(broker === usual.broker ? [] : [`export BROKER_PORT=${broker}`]),
  ];
  if (lines.length === 0) return '';
  return `  Not all ports are those of the READMEs. Before their commands, in the same terminal:
${lines.map((line) => `    ${line}\n`).join('')}
`;
}

function greet(url: string, ports: Ports): void {
  process.stdout.write(`
  ${url} is the page of this gateway: open it in a browser and log in as admin with the password 0000.

  This is the demo: a simulated plant, a broker and a gateway between them.

    Modbus TCP device   127.0.0.1:${ports.device}   polled by the driver node "${names.driver}", group "${names.group}"
    MQTT broker         127.0.0.1:${ports.broker}   where the app node "${names.app}" publishes to "${names.topic}"
    Data folder         ${folder}

  The same over HTTP, for programs:
    curl -s ${url}/api/v2/login -d '{"name":"admin","pass":"0000"}'

${walkOf(url, ports)}  Start without the demo:  npm start -- --no-demo --data ./my-data
  Stop everything:         ^C

`);
}

const isNew = !existsSync(join(folder, 'tagway.sqlite'));
// Such as of `npm start | head`: nobody reads any more.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

try {
  await (wantsDemo && (isNew || existsSync(marker)) ? runDemo() : runPlain());
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
